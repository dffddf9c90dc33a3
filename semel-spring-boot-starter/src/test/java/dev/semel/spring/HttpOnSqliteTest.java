package dev.semel.spring;

class HttpOnSqliteTest extends HttpSuite {
    HttpOnSqliteTest() {
        super(Databases.SQLITE);
    }
}
