package dev.semel.spring;

class JpaMarkerOnSqliteTest extends JpaMarkerSuite {
    JpaMarkerOnSqliteTest() {
        super(Databases.SQLITE);
    }
}
