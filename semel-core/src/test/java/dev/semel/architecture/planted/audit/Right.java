package dev.semel.architecture.planted.audit;

import dev.semel.architecture.planted.ledger.Left;

public interface Right {
    Left left();
}
