package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.Tenant;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claimed;
import dev.semel.store.Line;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Switchboard.Setting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Due records are granted, to one node at a time. */
abstract class ClaimSuite extends QueueFixture {
    private static final AuditEntry CHANGED =
            new AuditEntry(20, new AuditEntry.Subject("acme", null, null, null, null), null, 0, 0, null);

    ClaimSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void nothingIsGrantedWhereNothingWaits() {
        put("direct", State.FAILED_RETRYABLE, 0, 0);
        put("running", State.IN_PROGRESS, 0, 0);
        assertThat(claim(ClaimBuilder.of(10)).rows()).isEmpty();
        assertThat(claim(ClaimBuilder.of(10)).more()).isFalse();
        assertThat(claim(ClaimBuilder.of(10).from(ReservationBuilder.OPERATION)).rows())
                .isEmpty();
    }

    @Test
    void grantIsTheRecordWithItsFenceLeaseAndOwnerAndCountsNoAttempt() {
        ArrivalBuilder post = ArrivalBuilder.of("k").with(bytes("what")).notAfter(START + 77_000);
        send(post);
        Row row = grantedOne(ClaimBuilder.of(5).by(42).leasedFor(1_000));
        assertThat(row.header()).isEqualTo(post.header());
        assertThat(row.payload()).isEqualTo(bytes("what"));
        assertThat(line(row).deadline()).isEqualTo(START + 77_000);
        assertThat(row.status())
                .isEqualTo(new Status(State.IN_PROGRESS, row.status().fence(), 0, START + 1_000, 0, 42));
        assertThat(row.status().fence()).isPositive();
        assertThat(row(post.id())).usingRecursiveComparison().isEqualTo(row);
        assertThat(told(post.id())).isEmpty();
    }

    @Test
    void onlyDueRecordsAreGranted() {
        send(
                ArrivalBuilder.of("now"),
                ArrivalBuilder.of("delayed").after(1_000),
                ArrivalBuilder.of("started").notBefore(START + 2_000));
        assertThat(keys(all(ClaimBuilder.of(10)))).containsExactly("now");
        pass(999);
        nothingIsGranted(ClaimBuilder.of(10));
        pass(1);
        assertThat(keys(all(ClaimBuilder.of(10)))).containsExactly("delayed");
        pass(1_000);
        assertThat(keys(all(ClaimBuilder.of(10)))).containsExactly("started");
    }

    @Test
    void onlyTheClaimedOperationIsGranted() {
        send(ArrivalBuilder.of("a"), ArrivalBuilder.of("b").to("chat"));
        assertThat(keys(all(ClaimBuilder.of(10)))).containsExactly("a");
        assertThat(keys(all(ClaimBuilder.of(10).from("chat")))).containsExactly("b");
    }

    @Test
    void claimGrantsAtMostItsAmountAndLeavesTheRest() {
        for (int i = 0; i < 7; i++) {
            send(ArrivalBuilder.of("k" + i));
        }
        Claimed first = claim(ClaimBuilder.of(5));
        assertThat(first.rows()).hasSize(5);
        assertThat(first.more()).isTrue();
        Set<String> keys = new HashSet<>(keys(first.rows()));
        List<Row> rest = all(ClaimBuilder.of(5));
        assertThat(rest).hasSize(2);
        keys.addAll(keys(rest));
        assertThat(keys).hasSize(7);
    }

    @Test
    void grantedRecordIsNotGrantedAgainBeforeItsLeaseExpires() {
        send(ArrivalBuilder.of("k"));
        Row first = grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        nothingIsGranted(ClaimBuilder.of(1));
        pass(999);
        nothingIsGranted(ClaimBuilder.of(1));
        pass(1);
        Row second = grantedOne(ClaimBuilder.of(1).leasedFor(5_000));
        assertThat(second.status().fence()).isGreaterThan(first.status().fence());
        assertThat(second.status().attempt()).isZero();
        assertThat(second.status().at()).isEqualTo(now() + 5_000);
        assertThat(move(shift(first, State.COMPLETED))).isInstanceOf(Moved.Refused.class);
        complete(second);
    }

    @Test
    void renewedLeaseIsNotOver() {
        send(ArrivalBuilder.of("k"));
        Row row = grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        pass(900);
        assertThat(ledger.renew(List.of(
                        new dev.semel.store.Renewal(row.id(), row.status().fence(), 1_000))))
                .containsExactly(true);
        pass(900);
        nothingIsGranted(ClaimBuilder.of(1));
        assertThat(line("k")).isEqualTo(line(row));
    }

    @Test
    void takeoverWritesItsEventWithTheNewFenceAndAttempt() {
        send(ArrivalBuilder.of("k"), ArrivalBuilder.of("fresh").after(1_000));
        begin(grantedOne(ClaimBuilder.of(1).leasedFor(1_000)), 1_000);
        pass(1_000);
        List<Row> shown = new ArrayList<>();
        List<Row> rows = all(ClaimBuilder.of(10).telling(row -> {
            shown.add(row);
            return ArrivalBuilder.of(row.header().key()).event(9);
        }));
        assertThat(keys(rows)).containsExactlyInAnyOrder("k", "fresh");
        assertThat(keys(shown)).containsExactly("k");
        assertThat(toldTypes(ArrivalBuilder.id("fresh"))).isEmpty();
        Row taken = posted("k");
        assertThat(told(ArrivalBuilder.id("k"))).singleElement().satisfies(event -> {
            assertThat(event.entry().type()).isEqualTo(9);
            assertThat(event.entry().fence()).isEqualTo(taken.status().fence());
            assertThat(event.entry().attempt()).isEqualTo(1);
        });
    }

    @Test
    void takeoverWithoutAnEventIsATakeover() {
        send(ArrivalBuilder.of("k"));
        grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        pass(1_000);
        Row first = posted("k");
        assertThat(grantedOne(ClaimBuilder.of(1).telling(row -> null)).status().fence())
                .isGreaterThan(first.status().fence());
        assertThat(told(ArrivalBuilder.id("k"))).isEmpty();
    }

    @Test
    void a4_aLeaseThatIsOverIsNotTakenOverIfTheWorkIsNotRepeatable() {
        send(ArrivalBuilder.of("k"));
        Row row = grantedOne(ClaimBuilder.of(1).leasedFor(1_000).notRepeatable());
        pass(10_000);
        nothingIsGranted(ClaimBuilder.of(1).notRepeatable());
        complete(row);
    }

    @Test
    void a12_aLeaseThatIsOverIsNotTakenOverBeyondItsAttempts() {
        send(ArrivalBuilder.of("k"));
        for (int i = 1; i <= 3; i++) {
            grantedOne(ClaimBuilder.of(1).leasedFor(10).atMost(3));
            pass(10);
            Row row = grantedOne(ClaimBuilder.of(1).leasedFor(10).atMost(3));
            assertThat(row.status().attempt()).as("no claim counts").isEqualTo(i - 1);
            begin(row, 10);
            assertThat(posted("k").status().attempt()).isEqualTo(i);
            pass(10);
        }
        nothingIsGranted(ClaimBuilder.of(1).atMost(3));
        assertThat(posted("k").state()).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void attemptThatIsCountedWhileItsHolderHasItKeepsTheFenceAndTheOwnerAndCanBeCountedTwice() {
        sendTo("lane", "x1", "x2");
        Row row = granted(ClaimBuilder.of(10).by(42).leasedFor(1_000)).get(0);
        pass(900);
        begin(row, 1_000);
        begin(row, 1_000);
        Row counted = posted("x1");
        assertThat(counted.status())
                .isEqualTo(new Status(State.IN_PROGRESS, row.status().fence(), 1, now() + 1_000, 0, 42));
        assertThat(line(counted)).isEqualTo(line(row));
        assertThat(queue.heldBy(ArrivalBuilder.CHANNEL, 42)).extracting(Row::id).contains(row.id());
        complete(row);
        assertThat(move(shift(row, State.IN_PROGRESS).attempt(2))).isInstanceOf(Moved.Refused.class);
        assertThat(posted("x1").status().attempt()).isEqualTo(1);
    }

    @Test
    void takeoversAreLimitedAndFreshRecordsAreGrantedBesideThem() {
        for (int i = 0; i < 5; i++) {
            send(ArrivalBuilder.of("old" + i));
        }
        sendTo("lane", "x1", "x2", "x3");
        assertThat(all(ClaimBuilder.of(20).leasedFor(1_000))).hasSize(8);
        pass(1_000);
        send(ArrivalBuilder.of("fresh"));
        assertThat(keys(all(ClaimBuilder.of(20).takingOver(0)))).containsExactly("fresh");
        assertThat(claim(ClaimBuilder.of(20).takingOver(2)).rows()).hasSizeLessThanOrEqualTo(2);
        List<Row> rest = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            List<Row> some = claim(ClaimBuilder.of(20).takingOver(2)).rows();
            assertThat(some).hasSizeLessThanOrEqualTo(2);
            rest.addAll(some);
        }
        assertThat(rest).extracting(Row::id).doesNotHaveDuplicates();
        assertThat(Stream.of("old0", "old1", "old2", "old3", "old4", "x1")
                        .map(this::posted)
                        .allMatch(row -> row.status().at() > now()))
                .isTrue();
    }

    @Test
    void retryIsGrantedWhenItIsDueWithTheAttemptsThatHaveEnded() {
        send(ArrivalBuilder.of("k"));
        Row first = grantedOne(ClaimBuilder.of(1));
        retry(first, 1_000);
        nothingIsGranted(ClaimBuilder.of(1));
        pass(1_000);
        Row second = grantedOne(ClaimBuilder.of(1));
        assertThat(second.status().attempt()).isEqualTo(1);
        assertThat(second.status().fence()).isGreaterThan(first.status().fence());
        assertThat(second.failure()).isEqualTo(bytes("failure"));
    }

    @Test
    void handedBackRecordHasItsAttemptAgain() {
        send(ArrivalBuilder.of("k"));
        Row first = grantedOne(ClaimBuilder.of(1));
        begin(first, 1_000);
        apply(shift(first, State.QUEUED).in(0).attempt(first.status().attempt()));
        Row second = grantedOne(ClaimBuilder.of(1));
        assertThat(second.status().attempt()).isZero();
        assertThat(second.status().fence()).isGreaterThan(first.status().fence());
        assertThat(move(shift(first, State.COMPLETED))).isInstanceOf(Moved.Refused.class);
    }

    @Test
    void finishedRecordIsNotGrantedAgain() {
        List<State> ends =
                List.of(State.COMPLETED, State.FAILED_TERMINAL, State.UNKNOWN, State.SHADOWED, State.DISCARDED);
        ends.forEach(state -> send(ArrivalBuilder.of(state.name())));
        all(ClaimBuilder.of(10))
                .forEach(row -> apply(
                        shift(row, State.valueOf(row.header().key())).in(0).leaving(null)));
        pass(1_000_000);
        nothingIsGranted(ClaimBuilder.of(10));
    }

    @Test
    void d9_nothingIsGrantedUnderAnotherVersionOfTheModes() {
        send(ArrivalBuilder.of("k"), ArrivalBuilder.of("lane").in("lane"));
        long before = board.modes().version();
        long after = board.set(new Setting(null, "unrelated", Mode.HALTED), CHANGED);
        for (long version : List.of(before, after + 1)) {
            Claimed refused = queue.claim(ClaimBuilder.of(10).after("zeta").claim(version));
            assertThat(refused.modesChanged()).isTrue();
            assertThat(refused.rows()).isEmpty();
            assertThat(refused.last()).isEqualTo("zeta");
        }
        assertThat(posted("k").status().fence()).isZero();
        assertThat(line("lane").turn()).isIn(Line.Turn.ARRIVED, Line.Turn.HEAD);
        assertThat(keys(all(ClaimBuilder.of(10)))).containsExactlyInAnyOrder("k", "lane");
    }

    @Test
    void tenantsThatAreLeftOutAreNotGrantedAnythingNorTakenOver() {
        for (String tenant : List.of("one", "two", "three")) {
            send(
                    ArrivalBuilder.of("k").of(Tenant.of(tenant)),
                    ArrivalBuilder.of("l").of(Tenant.of(tenant)).in("lane"));
        }
        assertThat(tenants(all(ClaimBuilder.of(10).leasedFor(1_000).except("two", "unknown"))))
                .containsExactlyInAnyOrder("one", "one", "three", "three");
        pass(1_000);
        assertThat(tenants(all(ClaimBuilder.of(10).except("one", "two")))).containsExactly("three", "three");
        assertThat(tenants(all(ClaimBuilder.of(10).except("one")))).containsExactly("two", "two");
    }

    @Test
    void d8_tenantsThatHaveSomethingDueShareTheAmountEvenly() {
        flood("big", 100);
        flood("large", 100);
        assertThat(tenants(claim(ClaimBuilder.of(10)).rows()).filter("big"::equals))
                .hasSize(5);
        flood("small", 1);
        List<String> rows = tenants(claim(ClaimBuilder.of(9)).rows()).toList();
        assertThat(rows.stream().filter("small"::equals)).hasSize(1);
        assertThat(rows.stream().filter("big"::equals)).hasSizeGreaterThanOrEqualTo(3);
        assertThat(rows.stream().filter("large"::equals)).hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void tenantsWithNothingDueLeaveTheirPartToTheOthers() {
        flood("busy", 20);
        send(ArrivalBuilder.of("later").of(Tenant.of("asleep")).after(5_000));
        int rows = 0;
        for (int i = 0; i < 2; i++) {
            rows += claim(ClaimBuilder.of(10)).rows().size();
        }
        assertThat(rows).isGreaterThanOrEqualTo(10);
        assertThat(rows + all(ClaimBuilder.of(10)).size()).isEqualTo(20);
    }

    @Test
    void tenantsTakeTurnsInTheOrderOfTheirNamesAndGoRound() {
        for (String tenant : List.of("carol", "alice", "bob")) {
            flood(tenant, 2);
        }
        List<String> order = new ArrayList<>();
        String last = "";
        for (int i = 0; i < 6; i++) {
            Claimed claimed = claim(ClaimBuilder.of(1).after(last));
            order.addAll(tenants(claimed.rows()).toList());
            last = claimed.last();
        }
        assertThat(order).containsExactly("alice", "bob", "carol", "alice", "bob", "carol");
        flood("alice", 1);
        assertThat(tenants(granted(ClaimBuilder.of(1).after("carol")))).containsExactly("alice");
    }

    @Test
    void d12_expiredLeaseIsTakenOverAlthoughOthersHaveMoreDueThanIsAskedFor() {
        send(ArrivalBuilder.of("first"));
        grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        pass(1_000);
        int[] sent = {0};
        // A store may look for expired leases only from time to time.
        Await.until("the expired lease is taken over", () -> {
            for (int i = 0; i < 3; i++) {
                send(ArrivalBuilder.of("o" + sent[0]++));
            }
            return keys(claim(ClaimBuilder.of(1)).rows()).contains("first");
        });
    }

    @Test
    void c1_grantsOfAClaimAreFoundByItsTokenOnly() {
        ledger.reserve(
                board.modes().version(),
                List.of(ReservationBuilder.of("direct").by(42).reservation()));
        send(
                ArrivalBuilder.of("a"),
                ArrivalBuilder.of("b").in("lane"),
                ArrivalBuilder.of("other").to("chat"));
        List<Row> granted = all(ClaimBuilder.of(10).by(42));
        send(ArrivalBuilder.of("c"));
        all(ClaimBuilder.of(10).by(43));
        send(ArrivalBuilder.of("waits"));
        assertThat(queue.heldBy(ArrivalBuilder.CHANNEL, 42))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactlyInAnyOrderElementsOf(granted);
        assertThat(keys(queue.heldBy(ArrivalBuilder.CHANNEL, 42))).containsExactlyInAnyOrder("a", "b");
        assertThat(keys(queue.heldBy(ArrivalBuilder.CHANNEL, 43))).containsExactly("c");
        assertThat(queue.heldBy(ArrivalBuilder.CHANNEL, 44)).isEmpty();
        assertThat(queue.heldBy("chat", 42)).isEmpty();
    }

    @Test
    void c1_grantsOfAClaimAreFoundUntilTheyEndOrAreTakenOver() {
        send(
                ArrivalBuilder.of("done"),
                ArrivalBuilder.of("retried"),
                ArrivalBuilder.of("back"),
                ArrivalBuilder.of("taken"),
                ArrivalBuilder.of("kept"));
        for (Row row : all(ClaimBuilder.of(10).by(42).leasedFor(1_000))) {
            switch (row.header().key()) {
                case "done" -> complete(row);
                case "retried" -> retry(row, 0);
                case "back" ->
                    apply(shift(row, State.QUEUED).in(0).attempt(row.status().attempt()));
                case "kept" ->
                    ledger.renew(List.of(
                            new dev.semel.store.Renewal(row.id(), row.status().fence(), 10_000)));
                default -> {}
            }
        }
        assertThat(keys(queue.heldBy(ArrivalBuilder.CHANNEL, 42))).containsExactlyInAnyOrder("taken", "kept");
        pass(1_000);
        assertThat(keys(queue.heldBy(ArrivalBuilder.CHANNEL, 42))).containsExactlyInAnyOrder("taken", "kept");
        all(ClaimBuilder.of(10).by(43));
        assertThat(keys(queue.heldBy(ArrivalBuilder.CHANNEL, 42))).containsExactly("kept");
        assertThat(keys(queue.heldBy(ArrivalBuilder.CHANNEL, 43)))
                .containsExactlyInAnyOrder("retried", "back", "taken");
    }

    @Test
    void d7_grantsOfAClaimAreFoundLaneByLaneInTheirOrder() {
        for (int i = 1; i <= 5; i++) {
            sendTo("lane", "x" + i);
            sendTo("other", "y" + i);
        }
        assertThat(all(ClaimBuilder.of(10).by(42))).hasSize(10);
        List<String> found = keys(queue.heldBy(ArrivalBuilder.CHANNEL, 42));
        assertThat(found).containsSubsequence("x1", "x2", "x3", "x4", "x5");
        assertThat(found).containsSubsequence("y1", "y2", "y3", "y4", "y5");
        assertThat(Math.abs(found.indexOf("x1") - found.indexOf("y1"))).isEqualTo(5);
    }

    private void flood(String tenant, int messages) {
        for (int i = 0; i < messages; i++) {
            send(ArrivalBuilder.of("k" + i + "@" + now()).of(Tenant.of(tenant)));
        }
        pass(1);
    }

    @Test
    void c4_retriesKeepToTheBudgetAndFirstAttemptsDoNot() {
        for (int i = 0; i < 10; i++) {
            send(ArrivalBuilder.of("retry" + i));
        }
        all(ClaimBuilder.of(10)).forEach(row -> retry(row, 0));
        for (int i = 0; i < 5; i++) {
            send(ArrivalBuilder.of("first" + i));
        }
        List<String> granted = keys(all(ClaimBuilder.of(20).retries(2)));
        assertThat(granted.stream().filter(key -> key.startsWith("first"))).hasSize(5);
        assertThat(granted.stream().filter(key -> key.startsWith("retry"))).hasSize(2);
        nothingIsGranted(ClaimBuilder.of(20).retries(2));
        pass(500);
        assertThat(all(ClaimBuilder.of(20).retries(2))).hasSize(1);
        pass(10_000);
        assertThat(all(ClaimBuilder.of(20).retries(2))).hasSize(2);
        assertThat(all(ClaimBuilder.of(20))).hasSize(5);
    }

    @Test
    void retryAtTheHeadOfALaneKeepsToTheBudgetHoweverMuchArrivesBehindIt() {
        sendTo("lane", "x1");
        sendTo("other", "y1");
        all(ClaimBuilder.of(10).runsOf(1)).forEach(row -> retry(row, 0));
        assertThat(all(ClaimBuilder.of(10).runsOf(1).retries(1))).hasSize(1);
        for (int i = 2; i < 6; i++) {
            sendTo("lane", "x" + i);
            sendTo("other", "y" + i);
            nothingIsGranted(ClaimBuilder.of(10).retries(1));
        }
        pass(1_000);
        assertThat(keys(all(ClaimBuilder.of(10).runsOf(1).retries(1))))
                .hasSize(1)
                .containsAnyOf("x1", "y1");
    }

    @Test
    void d12_ofManyWhoClaimAtOnceNoTwoAreGrantedTheSame() throws Exception {
        int messages = 200;
        for (int i = 0; i < messages; i++) {
            ArrivalBuilder post = ArrivalBuilder.of("k" + i).of(Tenant.of("t" + i % 3));
            send(i % 2 == 0 ? post : post.in("lane" + i % 10));
        }
        List<List<Row>> granted = atOnce(8, n -> {
            List<Row> mine = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                mine.addAll(claim(ClaimBuilder.of(7)).rows());
            }
            return mine;
        });
        List<Row> rows = new ArrayList<>(all(ClaimBuilder.of(50)));
        granted.forEach(rows::addAll);
        assertThat(rows).extracting(Row::id).doesNotHaveDuplicates();
        assertThat(rows).extracting(row -> row.status().fence()).doesNotHaveDuplicates();
        assertThat(rows).allSatisfy(row -> assertThat(row.status().attempt()).isZero());
        assertThat(rows.stream().filter(row -> line(row).lane() == null)).hasSize(messages / 2);
    }
}
