package dev.semel.spring;

import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** Empty databases for tests. */
enum Databases {
    SQLITE {
        @Override
        String fresh() {
            return "jdbc:sqlite:" + Scratch.directory("spring").resolve("ledger.db");
        }
    },
    POSTGRESQL {
        @Override
        String fresh() {
            String schema = "s" + COUNT.incrementAndGet();
            try (Connection connection = DriverManager.getConnection(Server.URL);
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE SCHEMA " + schema);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return Server.URL + "&currentSchema=" + schema;
        }
    };

    /** To be excluded where a service is to do without: its names in Spring Boot 4 and in 3. */
    static final String JPA = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration";

    /** All that would want a data source. */
    static final String ALL = JPA + ",org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
            + "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration";

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** A JDBC URL. */
    abstract String fresh();

    private static final class Server {
        static final String URL =
                PrivatePostgres.shared().jdbcUrl(PrivatePostgres.shared().freshDatabase());
    }
}
