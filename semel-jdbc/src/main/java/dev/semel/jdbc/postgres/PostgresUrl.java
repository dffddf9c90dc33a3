package dev.semel.jdbc.postgres;

import dev.semel.SemelException.Misconfigured;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is, taken apart: {@code postgresql://user:password@host:port/database?name=value&...} or the driver's own
 * {@code jdbc:postgresql:...}. Parameters that are not Semel's ({@link PostgresParameter}) are the driver's.
 *
 * @param name for messages: without user, password and parameters
 */
record PostgresUrl(String jdbc, String name, Properties driver, Pool pool) {
    private static final List<String> SCHEMES = List.of("postgresql://", "postgres://", "jdbc:postgresql:");

    /**
     * @param size connections at most
     * @param waitMillis how long a caller waits for one
     * @param idleMillis after which the server ends a session that sits in a transaction and does nothing
     */
    record Pool(int size, long waitMillis, long idleMillis) {}

    /** A reply may be silent for as long as the socket's time-out, and take so many times as long as a whole. */
    private static final int SILENCES = 5;

    private static void boundReplies(Properties driver) {
        String silence = driver.getProperty("socketTimeout", "0");
        boolean bounded = silence.matches("[1-9][0-9]{0,6}");
        if (bounded && driver.getProperty("socketFactory") == null) {
            driver.setProperty("socketFactory", PostgresSockets.class.getName());
            driver.setProperty("socketFactoryArg", String.valueOf(SILENCES * 1_000L * Long.parseLong(silence)));
        }
    }

    static boolean accepts(String url) {
        return SCHEMES.stream().anyMatch(url::startsWith);
    }

    static PostgresUrl of(String url) {
        String bare = url.startsWith("jdbc:") ? url.substring("jdbc:".length()) : url;
        URI uri = parse(bare);
        List<String> faults = new ArrayList<>();
        Map<String, String> parameters = parameters(uri.getRawQuery());
        Pool pool = new Pool(
                (int) PostgresParameter.POOL_SIZE.take(parameters, faults),
                PostgresParameter.POOL_WAIT.take(parameters, faults),
                PostgresParameter.IDLE_IN_TRANSACTION.take(parameters, faults));
        Properties driver = PostgresParameter.ofTheDriver();
        user(uri.getRawUserInfo(), driver);
        parameters.forEach(driver::setProperty);
        boundReplies(driver);
        String place = uri.isOpaque()
                ? uri.getSchemeSpecificPart().split("\\?", 2)[0]
                : hosts(uri, faults) + (uri.getRawPath() == null ? "" : uri.getRawPath());
        String scheme = uri.isOpaque() ? "postgresql:" : "postgresql://";
        if (!faults.isEmpty()) {
            throw new Misconfigured(scheme + place, faults);
        }
        return new PostgresUrl("jdbc:" + scheme + place, scheme + place, driver, pool);
    }

    private static URI parse(String bare) {
        try {
            return new URI(bare);
        } catch (URISyntaxException e) {
            throw new Misconfigured(
                    "The store URL cannot be read",
                    List.of("it is not a URL at position " + e.getIndex() + " (" + e.getReason()
                            + "); write postgresql://user@host:5432/database and percent-encode special characters"
                            + " of the user and password"));
        }
    }

    /** Several hosts, host1:5432,host2:5432, are the driver's way to name a primary and its standbys. */
    private static String hosts(URI uri, List<String> faults) {
        String authority = uri.getRawAuthority();
        if (authority == null) {
            faults.add("it names no host; write postgresql://user@host:5432/database");
            return "";
        }
        return authority.substring(authority.lastIndexOf('@') + 1);
    }

    private static void user(@Nullable String userInfo, Properties driver) {
        if (userInfo != null) {
            String[] parts = userInfo.split(":", 2);
            driver.setProperty("user", decode(parts[0].replace("+", "%2B")));
            if (parts.length == 2) {
                driver.setProperty("password", decode(parts[1].replace("+", "%2B")));
            }
        }
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new TreeMap<>();
        if (query != null) {
            for (String pair : query.split("&")) {
                String[] parts = pair.split("=", 2);
                if (!parts[0].isEmpty()) {
                    parameters.put(decode(parts[0]), parts.length == 2 ? decode(parts[1]) : "");
                }
            }
        }
        return parameters;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Without the properties, which hold the password. */
    @Override
    public String toString() {
        return name;
    }
}
