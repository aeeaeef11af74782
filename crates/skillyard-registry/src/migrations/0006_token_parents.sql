-- The token that made a token, which ends with it; whoever runs the registry makes tokens without one.
ALTER TABLE tokens ADD COLUMN parent TEXT;
CREATE INDEX tokens_parent ON tokens (parent);
