-- Only TEXT and BIGINT, so that SQLite and PostgreSQL read the same statements and give the same
-- values. Times are RFC 3339 in UTC, which sort as text.

-- Every change takes the next number of the one row here, and with it the lock that puts changes
-- into an order: in SQLite the database's, in PostgreSQL the row's.
CREATE TABLE state (
    id BIGINT PRIMARY KEY,
    sequence BIGINT NOT NULL
);
INSERT INTO state (id, sequence) VALUES (1, 0);

CREATE TABLE skills (
    name TEXT PRIMARY KEY,
    -- The name as a hasty reader sees it; two skills never look alike.
    folded TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL,
    changed BIGINT NOT NULL,
    latest TEXT NOT NULL,
    downloads BIGINT NOT NULL DEFAULT 0,
    deprecated TEXT
);

-- Rows are never deleted: a version number belongs to its first digest for good.
CREATE TABLE versions (
    skill TEXT NOT NULL REFERENCES skills (name),
    version TEXT NOT NULL,
    sequence BIGINT NOT NULL UNIQUE,
    digest TEXT NOT NULL,
    tree TEXT NOT NULL,
    size BIGINT NOT NULL,
    published TEXT NOT NULL,
    publisher TEXT NOT NULL,
    signer TEXT,
    verdict TEXT NOT NULL,
    facts TEXT NOT NULL,
    yanked BIGINT NOT NULL DEFAULT 0,
    yank_reason TEXT,
    PRIMARY KEY (skill, version)
);
CREATE INDEX versions_digest ON versions (digest);

CREATE TABLE owners (
    skill TEXT NOT NULL REFERENCES skills (name),
    account TEXT NOT NULL,
    added TEXT NOT NULL,
    PRIMARY KEY (skill, account)
);
CREATE INDEX owners_account ON owners (account);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT,
    revoked TEXT
);

CREATE TABLE downloads (
    skill TEXT NOT NULL,
    day TEXT NOT NULL,
    visitor TEXT NOT NULL,
    PRIMARY KEY (skill, day, visitor)
);
