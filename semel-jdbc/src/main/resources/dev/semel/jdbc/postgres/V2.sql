-- Semel's schema for PostgreSQL: from version 1 to version 2.
-- Stop nodes of version 1 first: they refuse new connections to a newer schema. Every statement can be repeated.

-- One row: the time of the store, which all nodes share. Milliseconds since 1970.
CREATE TABLE IF NOT EXISTS semel_clock (
    mark bigint NOT NULL,
    ahead bigint NOT NULL,
    single boolean PRIMARY KEY DEFAULT true CHECK (single)
);

COMMENT ON COLUMN semel_clock.mark IS 'A time that the store has reached. It is never earlier again.';
COMMENT ON COLUMN semel_clock.ahead IS 'What is added to the server''s clock to get the store''s time.';

INSERT INTO semel_clock (mark, ahead) VALUES (0, 0) ON CONFLICT DO NOTHING;

-- Which start of which server, and which copy of the tables, issued the newest fences: another one takes a new epoch.
ALTER TABLE semel_meta ADD COLUMN IF NOT EXISTS server_start timestamptz;
ALTER TABLE semel_meta ADD COLUMN IF NOT EXISTS copy text;

-- Who asked for the record, as JSON: actor, trace id, source, request id. Events of its later runs repeat it.
ALTER TABLE semel_record ADD COLUMN IF NOT EXISTS origin text;

UPDATE semel_meta SET schema_version = 2;
