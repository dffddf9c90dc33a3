package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.ForeignDigitsContract;

class PostgresForeignDigitsTest extends ForeignDigitsContract {
    PostgresForeignDigitsTest() {
        super("th-TH-u-nu-thai", PostgresStoreContractTest.class);
    }
}
