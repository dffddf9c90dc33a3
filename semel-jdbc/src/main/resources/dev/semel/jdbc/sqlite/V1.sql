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
    failure     BLOB,
    turn        INTEGER, -- whose turn it is among those that wait for a worker; none once it has left the line
    place       INTEGER, -- none if it never waited for a worker; drawn like a fence, and so only grows
    lane        INTEGER,
    lane_key    TEXT,
    deadline    INTEGER  -- none for never
) STRICT;
CREATE UNIQUE INDEX semel_record_id ON semel_record (id);
CREATE INDEX semel_record_at ON semel_record (state, at);
CREATE INDEX semel_record_parent ON semel_record (parent) WHERE parent IS NOT NULL;

-- What a claim can begin with: records without a lane, the heads of lanes, and those that take their place later.
CREATE INDEX semel_record_due ON semel_record (operation, tenant, state, at)
    WHERE turn IN (0, 1, 4) AND state IN (0, 3);
-- Who stands in a lane, in its order.
CREATE INDEX semel_record_lane ON semel_record (lane, place, turn) WHERE turn IN (1, 2);
CREATE INDEX semel_record_parked ON semel_record (operation) WHERE turn = 1 AND state IN (4, 5);

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

-- Channels that are not claimed from. An empty tenant stands for all.
CREATE TABLE semel_pause (
    operation TEXT    NOT NULL,
    tenant    TEXT    NOT NULL,
    reason    TEXT    NOT NULL,
    since     INTEGER NOT NULL,
    probe     INTEGER NOT NULL,
    PRIMARY KEY (operation, tenant)
) STRICT;

-- What is left of the retries that all processes together may begin in a second.
CREATE TABLE semel_budget (
    operation TEXT    NOT NULL PRIMARY KEY,
    retries   REAL    NOT NULL,
    at        INTEGER NOT NULL
) STRICT;
