package dev.semel.server.admin;

import dev.semel.server.admin.AdminServer.LedgerKind;

class AdminApiOnPostgresTest extends AdminApiSuite {
    AdminApiOnPostgresTest() {
        super(LedgerKind.POSTGRESQL);
    }
}
