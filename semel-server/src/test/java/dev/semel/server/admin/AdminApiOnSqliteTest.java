package dev.semel.server.admin;

import dev.semel.server.admin.AdminServer.LedgerKind;

class AdminApiOnSqliteTest extends AdminApiSuite {
    AdminApiOnSqliteTest() {
        super(LedgerKind.SQLITE);
    }
}
