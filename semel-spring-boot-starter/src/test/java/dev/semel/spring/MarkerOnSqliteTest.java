package dev.semel.spring;

class MarkerOnSqliteTest extends MarkerSuite {
    MarkerOnSqliteTest() {
        super(Databases.SQLITE);
    }
}
