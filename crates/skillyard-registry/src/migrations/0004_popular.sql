-- Who publishes a new name asks for the popular ones: found without reading the others.
CREATE INDEX skills_popular ON skills (namespace, downloads, name);
