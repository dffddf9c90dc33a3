package dev.semel.console.admin;

import dev.semel.console.admin.AdminServer.LedgerKind;

class AdminApiOnSqliteTest extends AdminApiSuite {
    AdminApiOnSqliteTest() {
        super(LedgerKind.SQLITE);
    }
}
