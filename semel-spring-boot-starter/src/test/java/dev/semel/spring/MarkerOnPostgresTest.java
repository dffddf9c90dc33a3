package dev.semel.spring;

class MarkerOnPostgresTest extends MarkerSuite {
    MarkerOnPostgresTest() {
        super(Databases.POSTGRESQL);
    }
}
