-- The same for SQLite and PostgreSQL. Every key begins with the organisation, and every reference carries it along, so that
-- nothing can belong to two.

CREATE TABLE IF NOT EXISTS organisation (
    id   TEXT PRIMARY KEY,
    name TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS access_token (
    hash         TEXT    PRIMARY KEY,
    organisation TEXT    NOT NULL REFERENCES organisation (id),
    person       TEXT    NOT NULL,
    role         TEXT    NOT NULL CHECK (role IN ('READER', 'PLANNER')),
    per_minute   INTEGER NOT NULL,
    revoked      INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS project (
    organisation TEXT   NOT NULL REFERENCES organisation (id),
    id           TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    version      BIGINT NOT NULL,
    PRIMARY KEY (organisation, id)
);

CREATE TABLE IF NOT EXISTS mission (
    organisation TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    project      TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    status       TEXT   NOT NULL CHECK (status IN ('PLANNED', 'ACTIVE', 'DONE')),
    version      BIGINT NOT NULL,
    PRIMARY KEY (organisation, id),
    FOREIGN KEY (organisation, project) REFERENCES project (organisation, id)
);
CREATE INDEX IF NOT EXISTS mission_project ON mission (organisation, project);

CREATE TABLE IF NOT EXISTS assignment (
    organisation TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    mission      TEXT   NOT NULL,
    person       TEXT   NOT NULL,
    version      BIGINT NOT NULL,
    PRIMARY KEY (organisation, id),
    FOREIGN KEY (organisation, mission) REFERENCES mission (organisation, id)
);
CREATE INDEX IF NOT EXISTS assignment_mission ON assignment (organisation, mission);

-- Its version is the time of its last change, in milliseconds, which only grows.
CREATE TABLE IF NOT EXISTS briefing (
    organisation TEXT   NOT NULL,
    project      TEXT   NOT NULL,
    words        TEXT   NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (organisation, project),
    FOREIGN KEY (organisation, project) REFERENCES project (organisation, id)
);

-- What an organisation may not use at present.
CREATE TABLE IF NOT EXISTS disabled_feature (
    organisation TEXT NOT NULL REFERENCES organisation (id),
    name         TEXT NOT NULL,
    PRIMARY KEY (organisation, name)
);

CREATE TABLE IF NOT EXISTS audit_event (
    organisation   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    at             TEXT   NOT NULL,
    actor          TEXT   NOT NULL,
    action         TEXT   NOT NULL,
    resource       TEXT   NOT NULL,
    version        BIGINT NOT NULL,
    endpoint       TEXT,
    payload_hash   TEXT,
    record         TEXT,
    request_id     TEXT   NOT NULL,
    correlation_id TEXT   NOT NULL,
    category       TEXT,
    PRIMARY KEY (organisation, id)
);

-- What is derived, and may be behind. Each row names the person and the request that caused it last.

CREATE TABLE IF NOT EXISTS search_entry (
    organisation TEXT NOT NULL,
    mission      TEXT NOT NULL,
    words        TEXT NOT NULL,
    actor        TEXT NOT NULL,
    request_id   TEXT,
    PRIMARY KEY (organisation, mission)
);

CREATE TABLE IF NOT EXISTS dashboard (
    organisation TEXT   NOT NULL,
    project      TEXT   NOT NULL,
    missions     BIGINT NOT NULL,
    assignments  BIGINT NOT NULL,
    actor        TEXT   NOT NULL,
    request_id   TEXT,
    PRIMARY KEY (organisation, project)
);

CREATE TABLE IF NOT EXISTS notification (
    organisation TEXT NOT NULL,
    id           TEXT NOT NULL,
    person       TEXT NOT NULL,
    words        TEXT NOT NULL,
    actor        TEXT NOT NULL,
    request_id   TEXT,
    PRIMARY KEY (organisation, id)
);
