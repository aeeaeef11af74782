-- What a mirror has looked at and does not show yet: all of a run appears at once, together with
-- the length of the log that was signed over it.
CREATE TABLE arrivals (
    skill TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,
    tree TEXT NOT NULL,
    size BIGINT NOT NULL,
    published TEXT NOT NULL,
    publisher TEXT NOT NULL,
    signer TEXT,
    verdict TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (skill, version)
);
CREATE INDEX arrivals_digest ON arrivals (digest);

-- Entries of the log whose versions a mirror could not have. The log is not what was signed
-- without them.
CREATE TABLE absent (
    sequence BIGINT PRIMARY KEY,
    skill TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,
    signer TEXT,
    reason TEXT NOT NULL
);

-- Mirrors could miss what was withdrawn while it was on its way, so they ask about everything once.
UPDATE upstream SET sequence = 0;
