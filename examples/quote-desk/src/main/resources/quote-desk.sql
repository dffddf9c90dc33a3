CREATE TABLE IF NOT EXISTS quote (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    customer TEXT NOT NULL,
    product TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    discount INTEGER NOT NULL,
    channel TEXT NOT NULL,
    owner TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS price (
    quote TEXT NOT NULL REFERENCES quote (id),
    version INTEGER NOT NULL,
    total_cents INTEGER NOT NULL,
    needs_approval INTEGER NOT NULL,
    rule TEXT NOT NULL,
    request TEXT NOT NULL,
    PRIMARY KEY (quote, version, request)
);
CREATE TABLE IF NOT EXISTS approval (
    id TEXT PRIMARY KEY,
    quote TEXT NOT NULL REFERENCES quote (id),
    state TEXT NOT NULL,
    decided_by TEXT
);
CREATE TABLE IF NOT EXISTS quote_event (
    number INTEGER PRIMARY KEY,
    quote TEXT NOT NULL,
    action TEXT NOT NULL,
    version INTEGER NOT NULL,
    actor TEXT NOT NULL,
    request TEXT NOT NULL,
    correlation_id TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS command (
    record TEXT PRIMARY KEY,
    command TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS slack_card (
    quote TEXT PRIMARY KEY,
    ts TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS crm_sync (
    reference TEXT PRIMARY KEY,
    quote TEXT NOT NULL,
    state TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS artifact (
    checksum TEXT PRIMARY KEY,
    quote TEXT NOT NULL,
    file TEXT NOT NULL,
    slack_file TEXT
);
