package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.ForeignDigitsContract;

class SqliteForeignDigitsTest extends ForeignDigitsContract {
    SqliteForeignDigitsTest() {
        super("ar-EG-u-nu-arab", SqliteStoreContractTest.class);
    }
}
