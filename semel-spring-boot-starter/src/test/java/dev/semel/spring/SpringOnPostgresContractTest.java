package dev.semel.spring;

class SpringOnPostgresContractTest extends SpringContract {
    SpringOnPostgresContractTest() {
        super(Databases.POSTGRESQL);
    }
}
