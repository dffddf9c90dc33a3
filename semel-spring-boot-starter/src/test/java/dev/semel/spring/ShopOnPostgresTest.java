package dev.semel.spring;

class ShopOnPostgresTest extends ShopSuite {
    ShopOnPostgresTest() {
        super(Databases.POSTGRESQL, false);
    }
}
