package dev.semel.spring;

class ShopOnPostgresWithJpaTest extends ShopSuite {
    ShopOnPostgresWithJpaTest() {
        super(Databases.POSTGRESQL, true);
    }
}
