package dev.semel.architecture.planted.ledger;

import dev.semel.architecture.planted.audit.Right;

public interface Left {
    Right right();
}
