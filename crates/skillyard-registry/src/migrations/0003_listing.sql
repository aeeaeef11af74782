-- All skills of a namespace are read in pieces, by name.
DROP INDEX skills_namespace;
CREATE INDEX skills_namespace ON skills (namespace, name);
