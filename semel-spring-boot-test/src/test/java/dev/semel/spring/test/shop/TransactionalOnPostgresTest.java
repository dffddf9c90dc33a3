package dev.semel.spring.test.shop;

import dev.semel.testkit.PrivatePostgres;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class TransactionalOnPostgresTest extends TransactionalSuite {
    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        PrivatePostgres server = PrivatePostgres.shared();
        String url = server.jdbcUrl(server.freshDatabase());
        registry.add("spring.datasource.url", () -> url);
    }
}
