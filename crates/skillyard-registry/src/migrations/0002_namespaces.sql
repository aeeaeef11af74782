-- Skills below a namespace are named `@namespace/name`, as one text, in every table; the column
-- here is for those who ask for all skills of a namespace. A bare name has none.
ALTER TABLE skills ADD COLUMN namespace TEXT NOT NULL DEFAULT '';
CREATE INDEX skills_namespace ON skills (namespace);
CREATE INDEX skills_changed ON skills (changed);
CREATE INDEX skills_downloads ON skills (downloads);

-- Who was an owner before there were roles goes on being one.
ALTER TABLE owners ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';

CREATE TABLE namespaces (
    name TEXT PRIMARY KEY,
    folded TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL
);

CREATE TABLE members (
    namespace TEXT NOT NULL REFERENCES namespaces (name),
    account TEXT NOT NULL,
    role TEXT NOT NULL,
    added TEXT NOT NULL,
    PRIMARY KEY (namespace, account)
);
CREATE INDEX members_account ON members (account);

-- A skill (`pdf`, `@acme/pdf`) or a namespace (`@acme`) that somebody wants to hand over.
CREATE TABLE transfers (
    subject TEXT PRIMARY KEY,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    offered TEXT NOT NULL,
    expires TEXT NOT NULL
);

CREATE TABLE tags (
    skill TEXT NOT NULL REFERENCES skills (name),
    tag TEXT NOT NULL,
    version TEXT NOT NULL,
    changed TEXT NOT NULL,
    PRIMARY KEY (skill, tag)
);

-- Names that were too near to a popular one, and whether whoever runs the registry let them pass.
CREATE TABLE held_names (
    name TEXT NOT NULL,
    account TEXT NOT NULL,
    reason TEXT NOT NULL,
    asked TEXT NOT NULL,
    allowed TEXT,
    PRIMARY KEY (name, account)
);

-- What the owner of a token calls it, and its first characters, to recognise it by.
ALTER TABLE tokens ADD COLUMN label TEXT;
ALTER TABLE tokens ADD COLUMN shown TEXT;

-- Every length of the log that was ever signed and handed out.
CREATE TABLE checkpoints (
    size BIGINT PRIMARY KEY,
    root TEXT NOT NULL,
    time TEXT NOT NULL,
    key TEXT NOT NULL,
    signature TEXT NOT NULL
);

-- Where a mirror gets everything from, the key that signs there, and how far it read.
CREATE TABLE upstream (
    url TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    sequence BIGINT NOT NULL
);
