package dev.semel.console.admin;

import dev.semel.testkit.PrivatePostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a store on PostgreSQL reads: the plan and the work of every statement, as the server itself reports them. */
final class PostgresReads implements AutoCloseable {
    /** The tables that grow with the number of calls. */
    private static final Set<String> LARGE = Set.of("semel_record", "semel_audit");

    private static final String REPORTED = "LOG:  duration:";

    private final PrivatePostgres server;
    private final String database;

    PostgresReads() {
        Map<String, String> settings = new HashMap<>(PrivatePostgres.FAST);
        settings.put("session_preload_libraries", "auto_explain");
        settings.put("auto_explain.log_min_duration", "0");
        settings.put("auto_explain.log_analyze", "on");
        settings.put("auto_explain.log_timing", "off");
        settings.put("auto_explain.log_buffers", "on");
        settings.put("auto_explain.log_format", "json");
        settings.put("autovacuum", "off");
        settings.put("shared_buffers", "256MB");
        settings.put("max_wal_size", "4GB");
        this.server = PrivatePostgres.start(settings);
        this.database = server.freshDatabase();
    }

    String url() {
        return server.url(database);
    }

    /** For connections whose statements are not reported. */
    String jdbcUrl() {
        return server.jdbcUrl(database) + "&options=-c%20auto_explain.log_min_duration=-1";
    }

    /** For connections whose statements are. */
    String reportedUrl() {
        return server.jdbcUrl(database);
    }

    /**
     * A statement that was run.
     *
     * @param wholeTables large tables that it read without an index
     * @param rows of large tables that it looked at
     */
    record RunStatement(String text, List<String> wholeTables, long rows) {
        private static RunStatement of(JsonNode report) {
            List<String> whole = new ArrayList<>();
            long rows = walk(report.path("Plan"), whole);
            return new RunStatement(report.path("Query Text").asString(), whole, rows);
        }

        private static long walk(JsonNode node, List<String> whole) {
            long rows = 0;
            String table = node.path("Relation Name").asString("");
            if (LARGE.contains(table)) {
                if (node.path("Node Type").asString().contains("Seq Scan")) {
                    whole.add(table);
                }
                rows += node.path("Actual Loops").asLong(1)
                        * (node.path("Actual Rows").asLong(0)
                                + node.path("Rows Removed by Filter").asLong(0)
                                + node.path("Rows Removed by Index Recheck").asLong(0));
            }
            for (JsonNode child : node.path("Plans")) {
                rows += walk(child, whole);
            }
            return rows;
        }
    }

    /** The statements of a task, in their order. */
    List<RunStatement> during(Runnable task) {
        long from = size();
        task.run();
        try (var log = Files.newByteChannel(log())) {
            log.position(from);
            byte[] bytes = new byte[(int) (log.size() - from)];
            var buffer = java.nio.ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining() && log.read(buffer) >= 0) {
                continue;
            }
            return read(new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<RunStatement> read(String log) {
        List<RunStatement> statements = new ArrayList<>();
        StringBuilder report = null;
        for (String line : (log + "\nend").split("\n", -1)) {
            if (report != null && line.startsWith("\t")) {
                report.append(line.substring(1)).append('\n');
            } else if (report != null) {
                statements.add(RunStatement.of(JsonMapper.shared().readTree(report.toString())));
                report = null;
            }
            if (line.contains(REPORTED)) {
                report = new StringBuilder();
            }
        }
        return statements;
    }

    private long size() {
        try {
            return Files.size(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log() {
        return server.dataDirectory().resolve("server.log");
    }

    @Override
    public void close() {
        server.close();
    }
}
