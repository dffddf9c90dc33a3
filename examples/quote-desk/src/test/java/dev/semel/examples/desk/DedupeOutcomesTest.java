package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.examples.desk.quotes.Action;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.quotes.Command.Target;
import dev.semel.examples.desk.quotes.NewQuote;
import dev.semel.examples.desk.quotes.Quote;
import dev.semel.examples.desk.quotes.Quotes;
import dev.semel.examples.desk.shared.Asked;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Section 3.2: what a repeated operation key gets, in each of the four states. */
class DedupeOutcomesTest {
    private static final Asked ASKED = new Asked("cli", "r-1", "ada", "deals", "c-1");
    private static final NewQuote WANTED = new NewQuote("Acme", "Pro", 25, 0, ASKED);
    private static final Call<NewQuote> CALL =
            Call.of(Tenant.SINGLE, Key.of("k-1"), WANTED).withOrigin(ASKED.origin());

    private static Command create() {
        return new Command(
                Action.CREATE, ASKED, Target.NEW, Map.of("customer", "Acme", "product", "Pro", "quantity", "25"));
    }

    @Test
    void completed_returnsTheStoredSnapshot() throws Exception {
        try (Office office = new Office()) {
            Answer<?> first = office.desk().commands().run(create());
            Answer<?> second = office.desk().commands().run(create());
            assertThat(first).isInstanceOf(Answer.Executed.class);
            assertThat(second).isInstanceOf(Answer.Replayed.class);
            Quote made = (Quote) first.orThrow();
            Quote replayed = (Quote) second.orThrow();
            assertThat(replayed).isEqualTo(made);
            assertThat(office.count("SELECT count(*) FROM quote")).isEqualTo(1);
        }
    }

    @Test
    void inProgress_saysPendingWithACorrelationId() throws Exception {
        try (Office office = new Office()) {
            CountDownLatch entered = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            CompletableFuture<Answer<Quote>> first =
                    CompletableFuture.supplyAsync(() -> office.desk().semel().run(Quotes.CREATE, CALL, (wanted, tx) -> {
                        entered.countDown();
                        release.await();
                        return new Quote("Q-1", 1, Quote.State.DRAFT, wanted);
                    }));
            entered.await();
            Answer<Quote> second = office.desk().semel().run(Quotes.CREATE, CALL.withCorrelationId("c-2"));
            release.countDown();
            assertThat(second).isInstanceOfSatisfying(Answer.InProgress.class, pending -> {
                assertThat(pending.notice().correlationId()).isEqualTo("c-2");
                assertThat(pending.notice().next()).contains(Answer.Next.RETRY, Answer.Next.CHECK_STATUS);
            });
            assertThat(first.get()).isInstanceOf(Answer.Executed.class);
        }
    }

    @Test
    void failedRetryable_isRunAgainWhenItsPolicyAllows() throws Exception {
        try (Office office = new Office()) {
            AtomicInteger runs = new AtomicInteger();
            Answer<Quote> first = office.desk().semel().run(Quotes.CREATE, CALL, (wanted, tx) -> {
                runs.incrementAndGet();
                throw new IllegalStateException("simulated");
            });
            assertThat(first).isInstanceOf(Answer.RetryLater.class);
            Answer<Quote> tooEarly = office.desk().semel().run(Quotes.CREATE, CALL);
            assertThat(tooEarly).isInstanceOf(Answer.RetryLater.class);
            office.time.advance(((Answer.RetryLater<Quote>) tooEarly).in());
            assertThat(office.desk().semel().run(Quotes.CREATE, CALL)).isInstanceOf(Answer.Executed.class);
            assertThat(runs).hasValue(1);
            assertThat(office.count("SELECT count(*) FROM quote")).isEqualTo(1);
        }
    }

    @Test
    void failedTerminal_returnsTheErrorAndWhatToDo() throws Exception {
        try (Office office = new Office()) {
            Command unknownProduct = new Command(
                    Action.CREATE, ASKED, Target.NEW, Map.of("customer", "Acme", "product", "Gold", "quantity", "25"));
            for (int i = 0; i < 2; i++) {
                assertThat(office.desk().commands().run(unknownProduct))
                        .isInstanceOfSatisfying(Answer.Failed.class, failed -> {
                            assertThat(failed.notice().reason())
                                    .isEqualTo("There is no product Gold; choose Team, Pro or Enterprise.");
                            assertThat(failed.notice().next()).contains(Answer.Next.CONTACT);
                        });
            }
            assertThat(office.audit("quote.create", "system.error")).hasSize(1);
        }
    }
}
