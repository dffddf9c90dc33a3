package dev.semel.spring;

class HttpOnPostgresTest extends HttpSuite {
    HttpOnPostgresTest() {
        super(Databases.POSTGRESQL);
    }
}
