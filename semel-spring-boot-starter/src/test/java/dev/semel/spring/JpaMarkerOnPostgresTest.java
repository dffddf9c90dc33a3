package dev.semel.spring;

class JpaMarkerOnPostgresTest extends JpaMarkerSuite {
    JpaMarkerOnPostgresTest() {
        super(Databases.POSTGRESQL);
    }
}
