-- Semel on SQLite, schema version 1.
-- Times are milliseconds since 1970. Keys are bytes, so that no collation merges two and NUL is kept.

CREATE TABLE semel_meta (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL,
    ledger  TEXT    NOT NULL, -- names this ledger; the sidecar file carries the same name
    epoch   INTEGER NOT NULL, -- the high bits of every fence
    fence   INTEGER NOT NULL, -- the newest fence without its epoch; grows with every commit
    modes   INTEGER NOT NULL  -- the version of semel_mode
) STRICT;

-- A rowid table: with random ids, WITHOUT ROWID moves whole rows where this moves 32-byte index entries.
CREATE TABLE semel_record (
    n           INTEGER PRIMARY KEY,
    id          BLOB    NOT NULL,
    tenant      TEXT    NOT NULL,
    operation   TEXT    NOT NULL,
    key         BLOB    NOT NULL,
    fingerprint BLOB    NOT NULL,
    correlation TEXT    NOT NULL,
    parent      BLOB,
    state       INTEGER NOT NULL,
    fence       INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    at          INTEGER NOT NULL, -- when it next needs attention: due, end of lease, end of retention
    keep        INTEGER NOT NULL,
    owner       INTEGER NOT NULL,
    payload     BLOB,
    result      BLOB,
    failure     BLOB
) STRICT;
CREATE UNIQUE INDEX semel_record_id ON semel_record (id);
CREATE INDEX semel_record_at ON semel_record (state, at);
CREATE INDEX semel_record_parent ON semel_record (parent) WHERE parent IS NOT NULL;

-- One transaction writes at a time, so seq is also the order of the commits.
CREATE TABLE semel_audit (
    seq         INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL,
    type        INTEGER NOT NULL,
    tenant      TEXT    NOT NULL,
    operation   TEXT,
    record      BLOB,
    fingerprint BLOB,
    correlation TEXT,
    policy      TEXT,
    fence       INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    body        TEXT
) STRICT;

CREATE TABLE semel_seal (
    number    INTEGER PRIMARY KEY,
    after_tx  INTEGER NOT NULL,
    after_seq INTEGER NOT NULL,
    upto_tx   INTEGER NOT NULL,
    upto_seq  INTEGER NOT NULL,
    digests   BLOB    NOT NULL,
    previous  BLOB    NOT NULL,
    hash      BLOB    NOT NULL
) STRICT;

-- An empty tenant or operation stands for all.
CREATE TABLE semel_mode (
    tenant    TEXT    NOT NULL,
    operation TEXT    NOT NULL,
    mode      TEXT    NOT NULL,
    PRIMARY KEY (tenant, operation)
) STRICT;
