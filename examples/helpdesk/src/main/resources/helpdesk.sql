CREATE TABLE IF NOT EXISTS helpdesk_decision (
    event TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    team TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS helpdesk_handover (
    cause TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    reason TEXT NOT NULL
);
