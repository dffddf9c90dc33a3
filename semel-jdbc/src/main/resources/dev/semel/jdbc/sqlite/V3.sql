-- Semel on SQLite: from schema version 2 to version 3.
-- Additive only: a process of version 2 that has the file open goes on working.

-- All that one correlation id caused. Steps have that of their record, and are found through it.
CREATE INDEX semel_record_correlation ON semel_record (correlation) WHERE (parent IS NULL OR place IS NOT NULL);

UPDATE semel_meta SET version = 3;
