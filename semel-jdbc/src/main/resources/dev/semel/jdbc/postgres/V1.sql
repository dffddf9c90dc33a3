-- Semel's schema, version 1, for PostgreSQL 13 and later. It lands in the first schema of the search_path.

-- One row: what all nodes share.
CREATE TABLE semel_meta (
    modes_version bigint NOT NULL,
    system_identifier bigint NOT NULL,
    tx_base bigint NOT NULL,
    schema_version integer NOT NULL,
    epoch integer NOT NULL CHECK (epoch BETWEEN 1 AND 32767),
    timeline integer NOT NULL,
    single boolean PRIMARY KEY DEFAULT true CHECK (single)
);

COMMENT ON COLUMN semel_meta.tx_base IS
    'Added to the server''s transaction numbers in semel_audit.tx, so that they still grow after a move to another server.';

INSERT INTO semel_meta (modes_version, system_identifier, tx_base, schema_version, epoch, timeline)
VALUES (1, 0, 0, 1, 1, 0);

-- The counter in the low 48 bits of a fence. No cache: the fences of a record must grow whoever grants them.
CREATE SEQUENCE semel_fence MAXVALUE 281474976710655 NO CYCLE;

-- Numbers of audit events. They are ordered by transaction first, so sessions may take them in blocks.
CREATE SEQUENCE semel_event CACHE 64;

-- The order of arrivals and of lanes. No cache: what one sender sends later must come later.
CREATE SEQUENCE semel_place;

-- Fixed-width columns first, so that nothing is lost to alignment.
CREATE TABLE semel_record (
    fence bigint NOT NULL,
    at bigint NOT NULL,
    created bigint,
    keep bigint,
    owner bigint,
    place bigint,
    lane bigint,
    deadline bigint,
    attempt integer NOT NULL,
    state smallint NOT NULL,
    turn smallint,
    id bytea NOT NULL,
    tenant text NOT NULL,
    operation text NOT NULL,
    key bytea NOT NULL,
    fingerprint bytea NOT NULL,
    correlation text NOT NULL,
    parent bytea,
    payload bytea,
    result bytea,
    failure bytea,
    lane_key text,
    CONSTRAINT semel_record_pkey PRIMARY KEY (id)
) WITH (
    -- No statistics of an almost empty table: a plan made for ten rows would be kept for the first million.
    autovacuum_analyze_threshold = 20000,
    autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_insert_threshold = 50000
);

COMMENT ON COLUMN semel_record.created IS 'Of a step, by which steps are ordered. A call has none.';

-- What is completed waits for one thing only, the end of its retention. It has an index of its own because most records are
-- completed, and this one's entries are a third smaller.
CREATE INDEX semel_record_expiry ON semel_record (at) WHERE state = 2;

-- Leases, retries, dead letters: few beside the completed ones, and looked for by their state.
CREATE INDEX semel_record_attention ON semel_record (state, at) WHERE state <> 2;

-- What waits for a worker. A record of a direct call has no turn, and enters none of these. Those that follow nobody are
-- locked as they are found; those of lanes are found here, and locked by their lane.
CREATE INDEX semel_record_free ON semel_record (operation, tenant, state, at)
    WHERE turn = 0 AND state IN (0, 3);

CREATE INDEX semel_record_lanes ON semel_record (operation, tenant, state, at)
    WHERE turn IN (1, 3, 4) AND state IN (0, 3);

CREATE INDEX semel_record_lane ON semel_record (lane, turn, place) WHERE turn IN (1, 2, 3);

CREATE INDEX semel_record_parked ON semel_record (operation) WHERE turn = 1 AND state IN (4, 5);

COMMENT ON COLUMN semel_record.place IS
    'Of a record that waits for a worker or did: only then is it a message, and not a step, if it has a parent.';

CREATE INDEX semel_record_steps ON semel_record (parent) WHERE parent IS NOT NULL;

CREATE TABLE semel_audit (
    tx bigint NOT NULL,
    seq bigint NOT NULL DEFAULT nextval('semel_event'),
    at bigint NOT NULL,
    fence bigint NOT NULL,
    attempt integer NOT NULL,
    type smallint NOT NULL,
    tenant text NOT NULL,
    operation text,
    record bytea,
    fingerprint bytea,
    correlation text,
    policy text,
    body text,
    CONSTRAINT semel_audit_pkey PRIMARY KEY (tx, seq)
) WITH (
    autovacuum_analyze_threshold = 20000,
    autovacuum_vacuum_insert_threshold = 50000
);

ALTER SEQUENCE semel_event OWNED BY semel_audit.seq;

-- The events of one record. A B-tree on random ids would cost every write more than the rare reader gains.
DO $$
BEGIN
    IF current_setting('server_version_num')::integer >= 140000 THEN
        CREATE INDEX semel_audit_record ON semel_audit USING brin (record bytea_bloom_ops) WITH (pages_per_range = 32);
        -- Its first range exists from the start, and would cost each of the first events a kilobyte of log. Like all the
        -- others it is made by VACUUM, once it is full.
        PERFORM brin_desummarize_range('semel_audit_record', 0);
    END IF;
END
$$;

CREATE TABLE semel_seal (
    number bigint PRIMARY KEY,
    after_tx bigint NOT NULL,
    after_seq bigint NOT NULL,
    upto_tx bigint NOT NULL,
    upto_seq bigint NOT NULL,
    digests bytea NOT NULL,
    previous bytea NOT NULL,
    hash bytea NOT NULL
);

-- An empty tenant or operation stands for all of them.
CREATE TABLE semel_mode (
    tenant text NOT NULL,
    operation text NOT NULL,
    mode smallint NOT NULL,
    PRIMARY KEY (tenant, operation)
);

-- Channels that are not claimed from. An empty tenant stands for all of them.
CREATE TABLE semel_pause (
    operation text NOT NULL,
    tenant text NOT NULL,
    reason text NOT NULL,
    since bigint NOT NULL,
    probe bigint NOT NULL,
    PRIMARY KEY (operation, tenant)
);

-- Retries that may begin, where a policy bounds them.
CREATE TABLE semel_budget (
    operation text PRIMARY KEY,
    tokens double precision NOT NULL,
    at bigint NOT NULL,
    taken integer NOT NULL
);
