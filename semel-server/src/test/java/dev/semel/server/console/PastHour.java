package dev.semel.server.console;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The history of an hour before the test and of the test, as nodes would have written it: the same in every run. */
final class PastHour {
    private static final int STEPS = 360;

    /** Half an hour to come: however slow a test is, it finds figures of the last minutes. */
    private static final int AHEAD = 180;

    private static final long NODE = 7;

    /** Calls in a step, on average. */
    private static final Map<String, Integer> RATES =
            Map.of("order", 42, "mail", 36, "invoice", 20, "crm", 9, "fax", 2);

    private final Random random = new Random(15);
    private final List<ActivityRow> rows = new ArrayList<>();

    private PastHour() {}

    static void write(ActivityLog log) {
        PastHour hour = new PastHour();
        long now = ActivityStep.SECONDS.began(System.currentTimeMillis());
        for (int step = STEPS; step > -AHEAD; step--) {
            int ago = step;
            long began = now - ago * ActivityStep.SECONDS.millis();
            double swell = 1 + 0.35 * Math.sin(ago / 40.0);
            RATES.entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(each -> hour.add(ago, began, each.getKey(), each.getValue() * swell));
        }
        log.write(hour.rows);
    }

    /** @param ago so many steps */
    private void add(int ago, long began, String operation, double average) {
        long executed = around(average);
        boolean outage = ago > 90 && ago < 130;
        boolean hit = outage && operation.equals("mail");
        Map<String, Long> counts = new HashMap<>();
        counts.put("executed", hit ? executed / 3 : executed);
        counts.put("replayed", around(average * 0.08));
        counts.put("retries", hit ? executed / 2 : around(average * 0.01));
        counts.put("failed", hit ? executed / 5 : 0);
        counts.put("dead_letters", hit && random.nextInt(5) == 0 ? 1L : 0L);
        counts.put("call_" + (9 + random.nextInt(4)), executed);
        counts.put("waiting_most", hit ? executed * (130 - ago) / 4 : operation.equals("order") ? 0 : executed / 6);
        counts.put("due_ms_most", hit ? 900L * (130 - ago) : executed * 7);
        counts.put("ack_" + (10 + random.nextInt(3)), executed);
        counts.values().removeIf(count -> count == 0);
        rows.add(new ActivityRow(
                ActivityStep.SECONDS, began, ActivityLog.ALL_TENANTS, operation, NODE, ActivityCounts.of(counts)));
    }

    private long around(double average) {
        return Math.max(0, Math.round(average * (1 + 0.25 * random.nextGaussian())));
    }
}
