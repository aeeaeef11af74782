-- Logins of browsers at a private registry, each under the hash of its cookie's value. They are here and
-- not in memory, so that every node knows them.
CREATE TABLE logins (
    hash TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    begun TEXT NOT NULL
);
CREATE INDEX logins_token ON logins (token);
