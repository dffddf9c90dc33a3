package dev.semel.examples.planner.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The issued tokens. Only hashes are stored. Each request looks its token up, so a revoked one is invalid at once. */
@Component
public class Tokens {
    private static final String FIND = """
            SELECT organisation, person, role, per_minute FROM access_token
            WHERE hash = :hash AND revoked = 0
            """;

    private final JdbcClient jdbc;

    Tokens(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Optional<Caller> caller(String token) {
        return jdbc.sql(FIND)
                .param("hash", hash(token))
                .query((row, number) -> new Caller(
                        row.getString("organisation"),
                        row.getString("person"),
                        Caller.Role.valueOf(row.getString("role")),
                        row.getInt("per_minute")))
                .optional();
    }

    /** The stored form. */
    public static String hash(String token) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256.", e);
        }
    }
}
