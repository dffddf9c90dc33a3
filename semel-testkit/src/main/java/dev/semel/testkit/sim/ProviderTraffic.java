package dev.semel.testkit.sim;

import dev.semel.Channel;
import dev.semel.DeliverySource;
import dev.semel.DeliverySource.Delivery;
import dev.semel.DeliverySource.Page;
import dev.semel.DeliverySource.Reason;
import dev.semel.DeliverySource.Report;
import dev.semel.DeliverySource.Resend;
import dev.semel.DeliverySource.Schedule;
import dev.semel.Policy;
import dev.semel.engine.Engine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A provider that delivers to a channel of its own and loses some of its deliveries. It lists all of them; the nodes compare the list
 * with the ledger, and send what is missing.
 */
final class ProviderTraffic {
    /** A payload is {@code hook/key:none}. Only the provider and the nodes send to it, and nobody makes it forget. */
    static final Channel.Atomic<String> HOOK =
            Channel.atomic("hook", String.class).withPolicy("sim.hook");

    /** How far back the nodes look for windows that nobody has checked. */
    static final Duration MADE_UP_FOR = Duration.ofMinutes(2);

    private static final Schedule SCHEDULE = new Schedule(Duration.ofSeconds(20), Duration.ofSeconds(2));

    /** How long the ledger keeps a message that has ended: a little longer than the least that the engine accepts. */
    private static final Duration KEPT = Duration.ofSeconds(90);

    /** From then on, counted from the beginning of its window, a delivery may be left as too old. */
    private static final Duration MAY_BE_TOO_OLD = KEPT.minusSeconds(61);

    private final Scheduler scheduler;
    private final Random random;
    private final SimTime time;
    private final SimOperations business;
    private final ChannelTraffic mailroom;
    private final List<Listed> listed = new ArrayList<>();
    private final Map<Long, CheckedWindow> windows = new TreeMap<>();
    private final int count;
    private final int pageSize;
    private final long askedFrom;

    ProviderTraffic(Scheduler scheduler, SimTime time, SimOperations business, ChannelTraffic mailroom) {
        this.scheduler = scheduler;
        this.random = scheduler.random;
        this.time = time;
        this.business = business;
        this.mailroom = mailroom;
        boolean many = random.nextInt(8) == 0;
        this.count = many ? 24 : 2 + random.nextInt(6);
        this.pageSize = many ? 1 : 1 + random.nextInt(3);
        // If they ask so late, messages that were handled have been purged.
        this.askedFrom = time.millis() + (random.nextInt(4) == 0 ? 95_000 + random.nextInt(30_000) : 0);
    }

    /** The policies of the channel and of the nodes' looks at the list. */
    static List<Policy> policies(Policy sim) {
        Policy.Retention kept = new Policy.Retention(KEPT, KEPT, KEPT);
        return List.of(
                sim.toBuilder().withName("sim.hook").withRetention(kept).build(),
                sim.toBuilder()
                        .withName(Policy.WORKER_JOB.name())
                        .withRetention(Policy.Retention.SAGA)
                        .build());
    }

    /** A delivery as the provider lists it. */
    private static final class Listed {
        private final long at;
        private final String payload;
        private boolean sentWhenListed;

        Listed(long at, String payload, boolean sentWhenListed) {
            this.at = at;
            this.payload = payload;
            this.sentWhenListed = sentWhenListed;
        }

        private long window() {
            return Math.floorDiv(at, SCHEDULE.every().toMillis())
                    * SCHEDULE.every().toMillis();
        }

        private String record() {
            return ClientCall.record(payload);
        }
    }

    /** @param at when the report came */
    private record CheckedWindow(long at, Report report) {
        private long left() {
            return report.resent().left().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }

    /** Delivers one after the other: some never arrive, some twice, some just when the nodes look for them. */
    void deliver(List<SimNode> nodes, Runnable between) {
        for (int i = 1; i <= count; i++) {
            sleep(count > 20 || random.nextInt(3) > 0 ? random.nextInt(200) : random.nextInt(8_000));
            int fate = random.nextInt(4);
            Listed each = new Listed(time.millis(), HOOK.name() + "/d" + i + ":none", fate == 0);
            listed.add(each);
            for (int sends = fate == 0 ? 0 : fate - 1; sends > 0; sends--) {
                send(nodes, each);
            }
            if (random.nextInt(5) == 0) {
                between.run();
            }
        }
    }

    /** What is lost on the way to a node that is down is lost for good. */
    private void send(List<SimNode> nodes, Listed delivery) {
        SimNode node = nodes.get(random.nextInt(nodes.size()));
        if (!node.down()) {
            mailroom.send(node, HOOK, List.of(delivery.payload));
        }
    }

    void register(List<SimNode> nodes, SimNode node, Engine engine) {
        mailroom.registerAtomic(HOOK, node, engine);
        engine.checkDeliveries(new NodeSource(nodes, node), SCHEDULE, Resend.upTo(100, HOOK), this::reported);
        scheduler.spawn(node.name + "-sources", node.life(), () -> ask(node, engine));
    }

    private void ask(SimNode node, Engine engine) {
        while (true) {
            sleep(1_000 + random.nextInt(3_000));
            if (time.millis() >= askedFrom) {
                SimNode.failing(() -> {
                    engine.duties().deliveries().begin();
                    return Duration.ZERO;
                });
            }
        }
    }

    private void reported(Instant from, Instant until, Report report) {
        business.fail(10, true);
        scheduler.trace.add(
                scheduler.nanos(),
                "provider",
                "is told: missing " + report.missing() + ", sent "
                        + report.resent().sent() + ", left "
                        + new TreeMap<>(report.resent().left()));
        windows.put(from.toEpochMilli(), new CheckedWindow(time.millis(), report));
    }

    private void sleep(long millis) {
        try {
            time.sleep(Duration.ofMillis(millis));
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts the provider.", e);
        }
    }

    /** Whether every window in which something was delivered has been checked. */
    boolean isChecked() {
        return listed.stream().allMatch(each -> windows.containsKey(each.window()));
    }

    /**
     * Each delivery comes once and is applied at most once, also after the ledger has forgotten it; and once the faults are over, none is
     * missing that was not reported as left.
     *
     * @param arrivals how often each record came into the ledger
     * @param effects how often each was applied
     */
    List<String> wrongs(Map<String, Integer> arrivals, Map<String, Integer> effects) {
        List<String> wrongs = new ArrayList<>();
        Map<Long, List<String>> absent = new TreeMap<>();
        for (Listed each : listed) {
            int came = arrivals.getOrDefault(each.record(), 0);
            int applied = effects.getOrDefault(each.record(), 0);
            if (came > 1 || applied > 1) {
                wrongs.add(
                        each.record() + ": one delivery came " + came + " times and was applied " + applied + " times");
            }
            if (came == 0) {
                absent.computeIfAbsent(each.window(), any -> new ArrayList<>()).add(each.record());
            }
            if (!windows.containsKey(each.window())) {
                wrongs.add(each.record() + ": its window was never checked");
            }
        }
        absent.forEach((from, records) -> {
            CheckedWindow checked = windows.get(from);
            if (checked != null && records.size() > checked.left()) {
                wrongs.add(records + ": missing, and the report of their window leaves " + checked.left());
            }
        });
        windows.forEach((from, checked) -> {
            boolean old = checked.at >= from + MAY_BE_TOO_OLD.toMillis();
            if (!old && checked.report.resent().left().containsKey(Reason.TOO_OLD)) {
                wrongs.add("a delivery was left as too old " + Duration.ofMillis(checked.at - from)
                        + " after the beginning of its window");
            }
            if (checked.report.conflicting() > 0) {
                wrongs.add("deliveries are said to conflict: " + checked.report.findings());
            }
        });
        return wrongs;
    }

    /** The provider's list, as a node reads it. */
    private final class NodeSource implements DeliverySource {
        private final List<SimNode> nodes;
        private final SimNode node;

        NodeSource(List<SimNode> nodes, SimNode node) {
            this.nodes = nodes;
            this.node = node;
        }

        @Override
        public String name() {
            return "provider";
        }

        @Override
        public Page between(Instant from, Instant until, @Nullable String cursor) {
            node.entered();
            try {
                node.disturb();
                business.fail(5, true);
            } finally {
                node.left();
            }
            List<Listed> window = listed.stream()
                    .filter(each -> each.at >= from.toEpochMilli() && each.at < until.toEpochMilli())
                    .toList();
            int at = cursor == null ? 0 : Integer.parseInt(cursor);
            int to = Math.min(window.size(), at + pageSize);
            window.subList(at, to).forEach(this::sendIfLate);
            return new Page(
                    window.subList(at, to).stream()
                            .map(ProviderTraffic::delivery)
                            .toList(),
                    to == window.size() ? null : String.valueOf(to));
        }

        private void sendIfLate(Listed each) {
            if (each.sentWhenListed) {
                each.sentWhenListed = false;
                if (random.nextBoolean()) {
                    scheduler.spawn("late-" + each.record(), null, () -> send(nodes, each));
                }
            }
        }
    }

    private static Delivery delivery(Listed each) {
        return new Delivery(
                Client.TENANT,
                HOOK.name(),
                Client.key(each.record()),
                ('"' + each.payload + '"').getBytes(StandardCharsets.UTF_8));
    }
}
