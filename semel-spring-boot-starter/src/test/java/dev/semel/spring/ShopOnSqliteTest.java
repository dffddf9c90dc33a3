package dev.semel.spring;

class ShopOnSqliteTest extends ShopSuite {
    ShopOnSqliteTest() {
        super(Databases.SQLITE, false);
    }
}
