package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.audit.EventType;
import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.AuditEntry;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AuditExportTest {
    private static final int EVENTS = 20_000;

    /**
     * The export is larger than what fits between server and client, so the server is not at its end while the client has read one
     * line. An event that is written then is still exported: the server had not read the audit into memory.
     */
    @Test
    void exportReadsTheAuditWhileTheClientReadsTheExport() throws Exception {
        try (AdminServer server = LedgerKind.SQLITE.start()) {
            String body = "{\"reason\":\"" + "x".repeat(1_500) + "\"}";
            List<AuditEntry> page = new ArrayList<>();
            for (int i = 0; i < EVENTS; i++) {
                page.add(new AuditEntry(
                        EventType.MODE_CHANGED.code(),
                        new AuditEntry.Subject("acme", null, null, null, null),
                        null,
                        0,
                        0,
                        body));
                if (page.size() == 1_000) {
                    server.engine().store().audit().append(page);
                    page.clear();
                }
            }
            HttpResponse<InputStream> response = HttpClient.newHttpClient()
                    .send(
                            server.request(AdminServer.VIEWER, "/audit/export")
                                    .GET()
                                    .build(),
                            HttpResponse.BodyHandlers.ofInputStream());
            long lines = 1;
            String last = "";
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                assertThat(in.readLine()).contains("mode.changed");
                server.engine()
                        .operator()
                        .audit(EventType.SERVER_RELOAD, null, new Warrant("late", "written meanwhile"), Map.of());
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    lines++;
                    last = line;
                }
            }
            assertThat(lines).isEqualTo(EVENTS + 1);
            assertThat(last).contains("written meanwhile");
        }
    }
}
