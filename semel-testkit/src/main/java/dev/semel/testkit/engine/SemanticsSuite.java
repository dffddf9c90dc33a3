package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.key.Keys;
import dev.semel.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What is promised for each class of work: state within the ledger's database exactly once, the outside at least once, with
 * what its receivers need to make it once.
 */
abstract class SemanticsSuite extends ChannelFixture {
    private static final Operation.Atomic<Order, Receipt> EVALUATE =
            Operation.atomic("evaluate", Order.class, Receipt.class).withPolicy("steady");

    SemanticsSuite(EngineContract contract) {
        super(contract);
    }

    /** Once its handler has called the outside, a node stands still until another has taken its message over and is done. */
    private void handleTwice(Channel.Leased<Note> channel, Channel.LeasedDelivery<Note> calling) {
        Engine other = otherNode();
        other.handle(channel, calling);
        engine.handle(channel, (note, run) -> {
            calling.handle(note, run);
            if (run.attempt() == 1) {
                time.advance(LEASE.plusSeconds(1));
                work(other);
            }
        });
    }

    @Test
    void stateMutation_isExactlyOnceHoweverOftenItIsSentAndTried() throws Exception {
        List<String> failing = new ArrayList<>(List.of("later"));
        engine.handle(POST, (note, tx) -> {
            effects.apply(tx, note.text());
            handled.add(note.text());
            if (failing.remove(note.text())) {
                throw failing(Failure.Category.NETWORK);
            }
        });
        send(POST, "died");
        claim(POST);
        send(POST, "later");
        time.advance(LEASE.plusSeconds(1));
        for (int i = 0; i < 3; i++) {
            send(POST, "died");
            send(POST, "later");
            work();
            time.advance(Duration.ofSeconds(5));
        }
        assertThat(handled.stream().filter("later"::equals).count()).isGreaterThan(1);
        assertThat(effects.count("died")).isEqualTo(1);
        assertThat(effects.count("later")).isEqualTo(1);
    }

    @Test
    void evaluationSnapshot_isKeptOncePerVersionDespiteLaterChanges() {
        List<String> price = new ArrayList<>(List.of("10"));
        assertExecuted(evaluate(1, price), "10");
        price.set(0, "12");
        assertReplayed(evaluate(1, price), "10");
        assertExecuted(evaluate(2, price), "12");
        assertReplayed(evaluate(1, price), "10");
    }

    private dev.semel.Answer<Receipt> evaluate(long version, List<String> price) {
        Key key = Keys.operation("cli", null, "price", "quote-1", version, null);
        return engine.run(EVALUATE, Call.of(ACME, key, new Order("book", 1)), (order, tx) -> new Receipt(price.get(0)));
    }

    @Test
    void statusUpdate_convergesOnItsTargetDespiteALateOlderOne() {
        Map<String, String> cards = new HashMap<>();
        Map<String, Long> fences = new HashMap<>();
        Channel.LeasedDelivery<Note> updating = (note, run) -> {
            handled.add(note.text());
            if (fences.merge(note.lane(), run.fence(), Math::max) == run.fence()) {
                cards.put(note.lane(), note.text());
            }
        };
        Engine other = otherNode();
        other.handle(CHAT, updating);
        engine.handle(CHAT, (note, run) -> {
            if (run.attempt() == 1) {
                time.advance(LEASE.plusSeconds(1));
                work(other);
            }
            updating.handle(note, run);
        });
        send(CHAT, "draft", "card-1");
        send(CHAT, "approved", "card-1");
        work();
        assertThat(handled).containsExactly("draft", "approved", "draft");
        assertThat(cards).containsExactly(Map.entry("card-1", "approved"));
        assertThat(row(CHAT, "approved").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void appendedNotice_isShownOnceWithinTheWindowInWhichItsTokenIsKept() {
        Map<String, Long> tokens = new HashMap<>();
        List<String> thread = new ArrayList<>();
        Duration window = LEASE.multipliedBy(STEADY.retry().maxAttempts());
        handleTwice(MAIL, (note, run) -> {
            handled.add(note.text());
            tokens.values().removeIf(until -> until <= time.millis());
            if (tokens.putIfAbsent(run.downstreamKey(), time.millis() + window.toMillis()) == null) {
                thread.add(note.text());
            }
        });
        send(MAIL, "reminder");
        work();
        send(MAIL, "reminder");
        work();
        assertThat(handled).containsExactly("reminder", "reminder");
        assertThat(thread).containsExactly("reminder");
        Duration kept = STEADY.retention().success();
        assertThat(STEADY.toBuilder().withRedelivery(kept).build().limits().redelivery())
                .isEqualTo(kept);
        assertThatThrownBy(() ->
                        STEADY.toBuilder().withRedelivery(kept.plusMillis(1)).build())
                .isInstanceOf(SemelException.Misconfigured.class);
    }

    @Test
    void crmWriteBack_isOneObjectUnderItsExternalReference() {
        Map<String, String> crm = new HashMap<>();
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            crm.put(run.downstreamKey(), note.text());
            if (run.attempt() == 1) {
                throw failing(Failure.Category.TIMEOUT);
            }
        });
        send(MAIL, "quote");
        workThrough(Duration.ofSeconds(1), 1);
        assertThat(handled).containsExactly("quote", "quote");
        assertThat(crm).containsExactly(Map.entry(row(MAIL, "quote").id().downstreamKey(), "quote"));
    }

    @Test
    void crmWriteBack_isReconciledByItsExternalReferenceWhereItMayNotBeRepeated() {
        Map<String, String> crm = new HashMap<>();
        Channel.Leased<Note> careful = MAIL.asUnrepeatable();
        engine.handle(careful, (note, run) -> {
            handled.add(note.text());
            crm.put(run.downstreamKey(), note.text());
            throw failing(Failure.Category.TIMEOUT);
        });
        engine.reconcile(
                careful,
                (note, what) -> crm.containsKey(what.downstreamKey())
                        ? new Reconciler.Verdict.TookEffect<>(null)
                        : new Reconciler.Verdict.NoEffect<>());
        send(careful, "quote");
        work();
        assertThat(row(careful, "quote").state()).isEqualTo(State.UNKNOWN);
        engine.duties().reconciliation().reconcile();
        work();
        assertThat(handled).containsExactly("quote");
        assertThat(row(careful, "quote").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void document_isUploadedOncePerChecksumAndReusedAfterwards() {
        Map<String, Integer> uploads = new HashMap<>();
        handleTwice(MAIL, (note, run) -> {
            String content = rendered(note, run);
            handled.add(content);
            String checksum = Keys.contentHash(content).text();
            if (!uploads.containsKey(checksum)) {
                uploads.merge(checksum, 1, Integer::sum);
            }
        });
        send(MAIL, "quote-1 v2");
        work();
        assertThat(handled).containsExactly("<quote-1 v2>", "<quote-1 v2>");
        assertThat(uploads)
                .containsExactly(Map.entry(Keys.contentHash("<quote-1 v2>").text(), 1));
        send(MAIL, "quote-1 v3");
        work();
        assertThat(uploads).hasSize(2);
    }

    /** Every node renders the same: neither the attempt nor the time is part of it. */
    private static String rendered(Note note, LeasedContext run) {
        assertThat(run.attempt()).isPositive();
        return "<" + note.text() + ">";
    }
}
