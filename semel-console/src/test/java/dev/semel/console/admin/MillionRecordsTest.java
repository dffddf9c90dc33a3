package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.console.admin.AdminReads.ReadRequest;
import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long first and next pages take above a million records: a measurement, for campaigns only. */
@Timeout(3_600)
class MillionRecordsTest {
    private static final int RECORDS = Integer.getInteger("semel.records", 1_000_000);
    private static final int CHUNK = 100_000;
    private static final int TIMES = 7;
    private static final TimeSource CLOCK = TimeSource.system();

    /** Reports, which are not pages of lists. On SQLite the events of one record have no index. */
    private static final Pattern REPORTS = Pattern.compile("/retries.*|.*/story|/audit/events[?]record=.*");

    /** At the server, in milliseconds. */
    private static final double BOUND = 200;

    @ParameterizedTest
    @EnumSource
    void pagesOfAMillionRecordsTakeLessThan200Milliseconds(LedgerKind kind) {
        assumeTrue(Boolean.getBoolean("semel.campaign"), "a measurement for campaigns");
        String url;
        String jdbc;
        if (kind == LedgerKind.SQLITE) {
            Path file = Scratch.directory("million").resolve("ledger.db");
            url = "sqlite:" + file;
            jdbc = "jdbc:sqlite:" + file;
        } else {
            PrivatePostgres postgres = PrivatePostgres.shared();
            String database = postgres.freshDatabase();
            url = postgres.url(database);
            jdbc = postgres.jdbcUrl(database);
        }
        try (AdminServer server = AdminServer.on(url).withTrouble().withShadow()) {
            FilledLedger ledger = new FilledLedger(jdbc);
            for (int from = 1; from < RECORDS; from += CHUNK) {
                ledger.fill(from, Math.min(RECORDS, from + CHUNK));
            }
            if (kind == LedgerKind.POSTGRESQL) {
                ledger.analyse();
            }
            assertThat(slow(server, kind)).isEmpty();
        }
    }

    private static List<String> slow(AdminServer server, LedgerKind kind) {
        List<String> slow = new ArrayList<>();
        for (ReadRequest first : AdminReads.all()) {
            if (AdminReads.WHOLE.contains(first.endpoint())) {
                continue;
            }
            String next = time(server, kind, first, slow);
            if (!next.isEmpty()) {
                time(server, kind, first.next(next), slow);
            }
        }
        return slow;
    }

    private static String time(AdminServer server, LedgerKind kind, ReadRequest request, List<String> slow) {
        double[] millis = new double[TIMES];
        String next = "";
        for (int i = 0; i < TIMES; i++) {
            long began = CLOCK.nanos();
            next = AdminReads.ask(server, request);
            millis[i] = (CLOCK.nanos() - began) / 1e6;
        }
        double first = millis[0];
        Arrays.sort(millis);
        String line = String.format(
                Locale.ROOT,
                "%s %s %s: median %.0f ms, first %.0f ms, slowest %.0f ms",
                kind,
                request.token(),
                request.path(),
                millis[TIMES / 2],
                first,
                millis[TIMES - 1]);
        System.out.println(line);
        if (millis[TIMES / 2] > BOUND && !REPORTS.matcher(request.path()).matches()) {
            slow.add(line);
        }
        return next;
    }
}
