package dev.semel.spring;

import dev.semel.testkit.PrivatePostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Empty databases for tests. */
enum Databases {
    SQLITE {
        @Override
        String fresh() {
            return "jdbc:sqlite:" + Scratch.DIRECTORY.resolve(COUNT.incrementAndGet() + ".db");
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

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** A JDBC URL. */
    abstract String fresh();

    private static final class Server {
        static final String URL =
                PrivatePostgres.shared().jdbcUrl(PrivatePostgres.shared().freshDatabase());
    }

    private static final class Scratch {
        static final Path DIRECTORY = make();

        private static Path make() {
            try {
                Path directory = Files.createTempDirectory("semel-spring");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
                return directory;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void delete(Path directory) {
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
