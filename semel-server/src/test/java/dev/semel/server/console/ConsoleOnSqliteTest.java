package dev.semel.server.console;

import dev.semel.server.console.ConsoleServer.LedgerKind;

class ConsoleOnSqliteTest extends ConsoleSuite {
    ConsoleOnSqliteTest() {
        super(LedgerKind.SQLITE);
    }
}
