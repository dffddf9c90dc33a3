package dev.semel.server.console;

import dev.semel.server.console.ConsoleServer.LedgerKind;

class ConsoleOnPostgresTest extends ConsoleSuite {
    ConsoleOnPostgresTest() {
        super(LedgerKind.POSTGRESQL);
    }
}
