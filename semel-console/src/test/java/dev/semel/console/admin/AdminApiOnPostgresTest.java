package dev.semel.console.admin;

import dev.semel.console.admin.AdminServer.LedgerKind;

class AdminApiOnPostgresTest extends AdminApiSuite {
    AdminApiOnPostgresTest() {
        super(LedgerKind.POSTGRESQL);
    }
}
