package dev.semel.spring;

class SpringOnSqliteContractTest extends SpringContract {
    SpringOnSqliteContractTest() {
        super(Databases.SQLITE);
    }
}
