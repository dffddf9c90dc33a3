package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.store.Claimed;
import dev.semel.store.Line.Turn;
import dev.semel.store.Renewal;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Lanes: who is first, who waits, and who is granted together. */
abstract class LineSuite extends QueueFixture {
    LineSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void laneIsGrantedFromItsHeadInTheOrderOfArrival() {
        sendTo("lane", "x1", "x2", "x3");
        assertThat(served(ClaimBuilder.of(10).runsOf(1))).containsExactly("x1", "x2", "x3");
        sendTo("lane", "x4", "x5");
        assertThat(served(ClaimBuilder.of(10).runsOf(1))).containsExactly("x4", "x5");
    }

    @Test
    void noOtherRecordOfALaneIsGrantedWhileItsHeadRuns() {
        sendTo("lane", "x1", "x2", "x3");
        Row head = grantedOne(ClaimBuilder.of(1));
        assertThat(head.header().key()).isEqualTo("x1");
        assertThat(line(head).turn()).isEqualTo(Turn.HEAD);
        nothingIsGranted(ClaimBuilder.of(10));
        sendTo("lane", "x4");
        nothingIsGranted(ClaimBuilder.of(10));
        complete(head);
        assertThat(keys(granted(ClaimBuilder.of(1)))).containsExactly("x2");
    }

    @Test
    void runIsConsecutiveInOrderAndNoLongerThanItsLimit() {
        sendTo("lane", "x1", "x2", "x3", "x4", "x5");
        List<Row> run = granted(ClaimBuilder.of(10).runsOf(3));
        assertThat(keys(run)).containsExactly("x1", "x2", "x3");
        assertThat(run.stream().map(row -> line(row).turn())).containsExactly(Turn.HEAD, Turn.WAITING, Turn.WAITING);
        assertThat(run.stream().map(row -> line(row).place())).isSorted().doesNotHaveDuplicates();
        assertThat(run.stream().map(row -> row.status().fence())).doesNotHaveDuplicates();
        nothingIsGranted(ClaimBuilder.of(10));
        run.forEach(this::complete);
        assertThat(keys(granted(ClaimBuilder.of(1).runsOf(5)))).containsExactly("x4");
    }

    @Test
    void runsOfSeveralLanesAreNextToEachOther() {
        for (int i = 1; i <= 4; i++) {
            sendTo("x", "x" + i);
            sendTo("y", "y" + i);
            send(ArrivalBuilder.of("free" + i));
            sendTo("z", "z" + i);
        }
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 100 && order.size() < 16; i++) {
            List<String> rows = keys(claim(ClaimBuilder.of(6).runsOf(3)).rows());
            Set<Character> closed = new HashSet<>();
            for (int at = 1; at < rows.size(); at++) {
                char before = rows.get(at - 1).charAt(0);
                if (before != rows.get(at).charAt(0) && before != 'f') {
                    closed.add(before);
                }
                assertThat(closed)
                        .as("lanes in %s", rows)
                        .doesNotContain(rows.get(at).charAt(0));
            }
            rows.forEach(key -> complete(posted(key)));
            order.addAll(rows);
        }
        assertThat(order.stream().filter(key -> key.startsWith("x"))).containsExactly("x1", "x2", "x3", "x4");
        assertThat(order.stream().filter(key -> key.startsWith("y"))).containsExactly("y1", "y2", "y3", "y4");
        assertThat(order.stream().filter(key -> key.startsWith("z"))).containsExactly("z1", "z2", "z3", "z4");
        assertThat(order).hasSize(16).doesNotHaveDuplicates();
    }

    @Test
    void lanesOfTheSameKeyInTwoTenantsOrTwoOperationsAreSeparate() {
        send(ArrivalBuilder.of("k1").in("lane"), ArrivalBuilder.of("k2").in("lane"));
        send(ArrivalBuilder.of("k1").in("lane").of(Tenant.of("other")));
        send(ArrivalBuilder.of("k1").in("lane").to("chat"));
        assertThat(tenants(all(ClaimBuilder.of(10).runsOf(1))))
                .containsExactlyInAnyOrder(ReservationBuilder.TENANT, "other");
        assertThat(all(ClaimBuilder.of(10).runsOf(1).from("chat"))).hasSize(1);
        assertThat(posted("k2").state()).isEqualTo(State.QUEUED);
    }

    @Test
    void d7_retryKeepsItsPlaceAndHoldsItsLaneUpAndNoOther() {
        sendTo("x", "x1", "x2");
        sendTo("y", "y1");
        Row x1 = find(all(ClaimBuilder.of(10).runsOf(1)), "x1");
        retry(x1, 1_000);
        sendTo("x", "x3");
        complete(posted("y1"));
        nothingIsGranted(ClaimBuilder.of(10));
        sendTo("y", "y2");
        assertThat(served(ClaimBuilder.of(10))).containsExactly("y2");
        assertThat(line("x1").turn()).isEqualTo(Turn.HEAD);
        assertThat(line("x1").place()).isEqualTo(line(x1).place());
        pass(1_000);
        assertThat(served(ClaimBuilder.of(10))).containsExactly("x1", "x2", "x3");
    }

    @Test
    void handedBackRecordKeepsItsPlace() {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(2));
        assertThat(keys(run)).containsExactly("x1", "x2");
        for (int i = 1; i >= 0; i--) {
            apply(shift(run.get(i), State.QUEUED).in(0).attempt(0));
        }
        assertThat(served(ClaimBuilder.of(10).runsOf(1))).containsExactly("x1", "x2", "x3");
    }

    @Test
    void d12_runWhoseHolderDiedIsTakenOverInItsOrder() {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(2).leasedFor(1_000));
        assertThat(keys(run)).containsExactly("x1", "x2");
        pass(1_000);
        List<Row> taken = granted(ClaimBuilder.of(10)
                .telling(row -> ArrivalBuilder.of(row.header().key()).event(9)));
        assertThat(keys(taken)).containsExactly("x1", "x2");
        assertThat(toldTypes(ArrivalBuilder.id("x1"))).containsExactly(9);
        assertThat(toldTypes(ArrivalBuilder.id("x2"))).containsExactly(9);
        taken.forEach(this::complete);
        assertThat(keys(granted(ClaimBuilder.of(10)))).containsExactly("x3");
        assertThat(toldTypes(ArrivalBuilder.id("x3"))).isEmpty();
    }

    @Test
    void recordThatIsTakenOverIsMarkedUntilItIsMoved() {
        send(ArrivalBuilder.of("free"));
        sendTo("lane", "x1", "x2");
        assertThat(all(ClaimBuilder.of(3).leasedFor(1_000)))
                .hasSize(3)
                .noneMatch(row -> row.status().isTakenOver());
        pass(1_000);
        List<Row> taken = all(ClaimBuilder.of(3).by(7));
        assertThat(taken).hasSize(3).allMatch(row -> row.status().isTakenOver());
        ledger.renew(
                List.of(new Renewal(taken.get(0).id(), taken.get(0).status().fence(), 10_000)));
        assertThat(queue.heldBy(ArrivalBuilder.CHANNEL, 7))
                .as("whoever lost the reply sees it")
                .hasSize(3)
                .allMatch(row -> row.status().isTakenOver());
        for (int i = taken.size() - 1; i >= 0; i--) {
            apply(shift(taken.get(i), State.QUEUED).in(0).attempt(0));
        }
        assertThat(all(ClaimBuilder.of(3)))
                .hasSize(3)
                .noneMatch(row -> row.status().isTakenOver());
    }

    @Test
    void d12_runNeverMixesTakeoversWithOtherRecords() {
        sendTo("lane", "x1", "x2", "x3", "x4");
        List<Row> run = granted(ClaimBuilder.of(3).leasedFor(1_000));
        assertThat(keys(run)).containsExactly("x1", "x2", "x3");
        apply(shift(run.get(0), State.QUEUED).in(0).attempt(0));
        pass(1_000);
        Row head = grantedOne(ClaimBuilder.of(10));
        assertThat(head.header().key()).isEqualTo("x1");
        complete(head);
        assertThat(keys(granted(ClaimBuilder.of(10).takingOver(1).leasedFor(1_000))))
                .containsExactly("x2");
        pass(1_000);
        assertThat(keys(granted(ClaimBuilder.of(10).takingOver(5)))).containsExactly("x2", "x3");
    }

    @Test
    void oneWhoWaitsIsNotTakenOverBeforeThoseInFrontOfIt() {
        sendTo("lane", "x1", "x2");
        List<Row> run = granted(ClaimBuilder.of(2).leasedFor(1_000));
        ledger.renew(List.of(new Renewal(run.get(0).id(), run.get(0).status().fence(), 10_000)));
        pass(1_000);
        nothingIsGranted(ClaimBuilder.of(10));
        complete(run.get(0));
        assertThat(keys(granted(ClaimBuilder.of(10)))).containsExactly("x2");
    }

    @Test
    void headIsTakenOverWithoutThoseBehindItThatStillRun() {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(2).leasedFor(1_000));
        ledger.renew(List.of(new Renewal(run.get(1).id(), run.get(1).status().fence(), 10_000)));
        pass(1_000);
        Row taken = grantedOne(ClaimBuilder.of(10).leasedFor(60_000));
        assertThat(taken.header().key()).isEqualTo("x1");
        complete(taken);
        nothingIsGranted(ClaimBuilder.of(10));
        complete(run.get(1));
        assertThat(keys(granted(ClaimBuilder.of(10)))).containsExactly("x3");
    }

    @Test
    void a4_headThatMayNotBeRepeatedHoldsItsLaneUpWhenItsLeaseIsOver() {
        sendTo("lane", "x1", "x2");
        Row head = grantedOne(ClaimBuilder.of(1).leasedFor(1_000).notRepeatable());
        pass(1_000);
        nothingIsGranted(ClaimBuilder.of(10).runsOf(1).notRepeatable());
        apply(shift(head, State.UNKNOWN).in(0).leaving(line(head).lane()));
        assertThat(keys(granted(ClaimBuilder.of(1).notRepeatable()))).containsExactly("x2");
    }

    @Test
    void a12_headBeyondItsAttemptsHoldsItsLaneUp() {
        sendTo("lane", "x1", "x2");
        begin(grantedOne(ClaimBuilder.of(1).leasedFor(1_000).atMost(1)), 1_000);
        pass(1_000);
        nothingIsGranted(ClaimBuilder.of(10).atMost(1));
        assertThat(posted("x2").status().fence()).isZero();
    }

    @Test
    void delayedMessageBlocksNoOtherAndTakesItsPlaceWhenItIsDue() {
        send(ArrivalBuilder.of("later").in("lane").after(1_000));
        sendTo("lane", "x1", "x2");
        assertThat(keys(granted(ClaimBuilder.of(10).runsOf(1)))).containsExactly("x1");
        pass(1_000);
        nothingIsGranted(ClaimBuilder.of(10));
        complete(posted("x1"));
        sendTo("lane", "x3");
        List<String> rest = served(ClaimBuilder.of(10).runsOf(1));
        assertThat(rest).containsExactlyInAnyOrder("x2", "later", "x3");
        assertThat(rest.get(0)).isEqualTo("x2");
        assertThat(line("later").turn()).isEqualTo(Turn.OUT);
    }

    @Test
    void severalDelayedMessagesTakeTheirPlacesAsTheyBecomeDue() {
        send(ArrivalBuilder.of("second").in("lane").after(2_000));
        send(ArrivalBuilder.of("third").in("lane").notBefore(START + 3_000));
        send(ArrivalBuilder.of("first").in("lane").after(1_000));
        nothingIsGranted(ClaimBuilder.of(10));
        pass(5_000);
        assertThat(served(ClaimBuilder.of(10).runsOf(1))).containsExactly("first", "second", "third");
    }

    @Test
    void runEndsBeforeOneThatIsNotDue() {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(3));
        retry(run.get(1), 1_000);
        apply(shift(run.get(2), State.QUEUED).in(0).attempt(0));
        complete(run.get(0));
        nothingIsGranted(ClaimBuilder.of(10));
        pass(1_000);
        assertThat(keys(granted(ClaimBuilder.of(10)))).containsExactly("x2", "x3");
    }

    @Test
    void longLaneIsServedInOrderByClaimsOfAnySize() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            keys.add("k" + i);
        }
        queue.enqueue(keys.stream()
                .map(key -> ArrivalBuilder.of(key).in("lane").arrival())
                .toList());
        List<String> order = new ArrayList<>();
        int size = 1;
        while (order.size() < 120) {
            List<Row> rows = granted(ClaimBuilder.of(size).runsOf(1 + size / 2));
            assertThat(rows).isNotEmpty();
            rows.forEach(this::complete);
            order.addAll(keys(rows));
            size = size % 13 + 1;
        }
        assertThat(order).isEqualTo(keys);
    }

    @Test
    void manyLanesAreAllServed() {
        for (int i = 0; i < 60; i++) {
            sendTo("lane" + i % 20, "k" + i);
        }
        List<String> order = served(ClaimBuilder.of(8).runsOf(2));
        assertThat(order).hasSize(60).doesNotHaveDuplicates();
        for (int lane = 0; lane < 20; lane++) {
            assertThat(order.indexOf("k" + lane)).isLessThan(order.indexOf("k" + (lane + 20)));
            assertThat(order.indexOf("k" + (lane + 20))).isLessThan(order.indexOf("k" + (lane + 40)));
        }
    }

    @Test
    void ofManyWhoClaimOneLaneAtOnceOneIsGrantedItsRun() throws Exception {
        for (int round = 0; round < 5; round++) {
            String lane = "lane" + round;
            sendTo(lane, lane + "a", lane + "b", lane + "c");
            List<Claimed> answers = atOnce(8, n -> claim(ClaimBuilder.of(2)));
            List<Row> rows = new ArrayList<>();
            answers.forEach(answer -> rows.addAll(answer.rows()));
            rows.addAll(granted(ClaimBuilder.of(2)));
            assertThat(keys(rows)).containsExactly(lane + "a", lane + "b");
            rows.forEach(this::complete);
            served(ClaimBuilder.of(2));
        }
    }

    /** A receiver that refuses a fence below the lane's last one must never refuse the next message of the lane. */
    @Test
    void d7_fencesGrowInTheOrderOfTheLane() {
        for (int i = 0; i < 60; i++) {
            sendTo("lane" + i % 3, "k" + i);
        }
        Map<String, Long> highest = new HashMap<>();
        List<Row> first = all(ClaimBuilder.of(60).runsOf(10).leasedFor(1_000));
        assertThat(first).hasSize(30);
        first.forEach(row -> assertHigherThanItsLane(highest, row));
        pass(1_000);
        List<Row> takenOver = all(ClaimBuilder.of(60).runsOf(12));
        assertThat(takenOver).hasSize(30);
        takenOver.forEach(row -> assertHigherThanItsLane(highest, row));
        for (int i = takenOver.size() - 1; i >= 0; i--) {
            apply(shift(takenOver.get(i), State.QUEUED).in(0).attempt(0));
        }
        sendTo("lane0", "arrives late");
        int served = 0;
        for (List<Row> run = granted(ClaimBuilder.of(9).runsOf(4));
                !run.isEmpty();
                run = granted(ClaimBuilder.of(9).runsOf(4))) {
            for (Row row : run) {
                assertHigherThanItsLane(highest, row);
                complete(row);
                served++;
            }
        }
        assertThat(served).isEqualTo(61);
    }

    private static void assertHigherThanItsLane(Map<String, Long> highest, Row row) {
        String lane = Objects.requireNonNull(line(row).lane()).key();
        long fence = row.status().fence();
        assertThat(fence)
                .as("the fence of %s in %s", row.header().key(), lane)
                .isGreaterThan(highest.getOrDefault(lane, 0L));
        highest.put(lane, fence);
    }

    private static Row find(List<Row> rows, String key) {
        return rows.stream()
                .filter(row -> row.header().key().equals(key))
                .findFirst()
                .orElseThrow();
    }
}
