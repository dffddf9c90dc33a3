package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.key.KeyStrategies;
import dev.semel.spring.Shop.Mail;
import dev.semel.spring.Shop.Order;
import dev.semel.spring.Shop.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a bean's methods are promised, on a database of the application's own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ShopSuite {
    private final Databases database;
    private final boolean jpa;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private ConfigurableApplicationContext context;
    private Shop shop;
    private Semel semel;
    private TransactionTemplate transaction;

    @SuppressWarnings("NullAway.Init")
    ShopSuite(Databases database, boolean jpa) {
        this.database = database;
        this.jpa = jpa;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Shop shop(JdbcTemplate jdbc) {
            return new Shop(jdbc);
        }

        @Bean
        Key.Strategy<Shop.Order> orderKey() {
            return KeyStrategies.value("order", Shop.Order::id);
        }

        @Bean
        Policy once() {
            return Policy.named("once")
                    .withMaxAttempts(1)
                    .withBackoff(new Policy.Backoff.None())
                    .build();
        }
    }

    /** Three connections: a call that took a second one while it held the first would soon find none. */
    @BeforeAll
    void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + database.fresh(),
                        "spring.datasource.hikari.maximum-pool-size=3",
                        "spring.datasource.hikari.connection-timeout=20000",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + (jpa ? "" : Databases.JPA))
                .run();
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE payment (order_id TEXT NOT NULL)");
        jdbc.execute("CREATE TABLE mail (order_id TEXT NOT NULL)");
        shop = context.getBean(Shop.class);
        semel = context.getBean(Semel.class);
        transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    @AfterAll
    void stop() {
        threads.shutdownNow();
        context.close();
    }

    @AfterEach
    void forget() {
        target().runs.set(0);
        target().inside = null;
    }

    private Shop target() {
        return (Shop) org.springframework.test.util.AopTestUtils.getTargetObject(shop);
    }

    private static Order order(String id) {
        return new Order(id, 100);
    }

    private TransactionTemplate with(int propagation) {
        TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    static void eventually(BooleanSupplier condition) {
        long until = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("it came true in time").isLessThan(until);
            Thread.onSpinWait();
        }
    }

    @Test
    void secondCallGetsTheFirstResult() {
        Receipt first = shop.charge(order("twice"));
        assertThat(shop.charge(order("twice"))).isEqualTo(first).isNotSameAs(first);
        assertThat(target().paid("twice")).isEqualTo(1);
        assertThat(target().runs).hasValue(1);
    }

    @Test
    void manyCallsAtOnceAreOneEffectAndOneResult() throws Exception {
        int callers = 32;
        CountDownLatch ready = new CountDownLatch(callers);
        List<Future<Receipt>> answers = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            answers.add(threads.submit(() -> {
                ready.countDown();
                ready.await();
                return shop.charge(order("many"));
            }));
        }
        Set<Receipt> different = new HashSet<>();
        for (Future<Receipt> answer : answers) {
            different.add(answer.get(120, TimeUnit.SECONDS));
        }
        assertThat(different).hasSize(1);
        assertThat(target().paid("many")).isEqualTo(1);
    }

    @Test
    void manyDifferentCallsAtOnceAreAllDone() throws Exception {
        List<Callable<Receipt>> calls = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String id = "one-of-many-" + i % 30;
            calls.add(() -> shop.charge(order(id)));
        }
        for (Future<Receipt> answer : threads.invokeAll(calls)) {
            answer.get(120, TimeUnit.SECONDS);
        }
        for (int i = 0; i < 30; i++) {
            assertThat(target().paid("one-of-many-" + i)).isEqualTo(1);
        }
    }

    @Test
    void anotherPayloadUnderTheSameKeyIsAConflict() {
        shop.charge(order("conflict"));
        assertThatThrownBy(() -> shop.charge(new Order("conflict", 999)))
                .isInstanceOfSatisfying(
                        SemelException.NoResult.class,
                        e -> assertThat(e.answer()).isInstanceOf(Answer.Conflict.class))
                .hasMessageContaining("charge");
        assertThat(target().paid("conflict")).isEqualTo(1);
    }

    @Test
    void exceptionReachesTheCallerAndRollsBack() {
        target().inside = () -> {
            throw new IllegalStateException("the disk is gone");
        };
        assertThatThrownBy(() -> shop.chargePlainly(order("thrown")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the disk is gone");
        assertThat(target().paid("thrown")).isZero();
    }

    @Test
    void permanentFailureIsReplayedWithoutARun() {
        assertThatThrownBy(() -> shop.refuse("sunday")).hasMessageContaining("No refunds on Sundays.");
        assertThatThrownBy(() -> shop.refuse("sunday"))
                .isInstanceOfSatisfying(
                        SemelException.NoResult.class,
                        e -> assertThat(e.answer()).isInstanceOf(Answer.Failed.class))
                .hasMessageContaining("No refunds on Sundays.");
        assertThat(target().runs).hasValue(1);
        assertThat(target().paid("sunday")).isZero();
    }

    @Test
    void resultsOfEveryKindAreReplayed() {
        assertThat(shop.list("l")).isEqualTo(shop.list("l")).containsExactly(new Receipt("l", 1));
        assertThat(shop.maybe("m")).isEqualTo(shop.maybe("m")).contains(new Receipt("m", 1));
        assertThat(shop.bytes("b")).isEqualTo(shop.bytes("b"));
        assertThat(shop.nothing("n")).isNull();
        assertThat(shop.nothing("n")).isNull();
        assertThat(target().runs).hasValue(4);
        shop.chargePlainly(order("void"));
        shop.chargePlainly(order("void"));
        assertThat(target().paid("void")).isEqualTo(1);
    }

    @Test
    void keyPayloadAndTenantComeFromTheirExpressions() {
        int first = shop.chargeStrictly("k", order("x"), "acme", "morning");
        assertThat(shop.chargeStrictly("k", order("x"), "acme", "evening")).isEqualTo(first);
        assertThat(shop.chargeStrictly("k", order("x"), "globex", "morning")).isNotEqualTo(first);
        assertThat(target().paid("acme/x")).isEqualTo(1);
        assertThat(target().paid("globex/x")).isEqualTo(1);
        assertThatThrownBy(() -> shop.chargeStrictly(null, order("x"), "acme", null))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("charge-strictly")
                .hasMessageContaining("key");
    }

    @Test
    void keyIsFoundByAStrategyThatIsABean() {
        int first = shop.chargeByStrategy(order("by-strategy"));
        assertThat(shop.chargeByStrategy(order("by-strategy"))).isEqualTo(first);
        assertThat(target().paid("by-strategy")).isEqualTo(1);
        assertThatThrownBy(() -> shop.chargeByStrategy(order("")))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("charge-by-strategy: no key found (looked for order)");
    }

    @Test
    void callInsideATransactionIsRecordedOnlyIfItCommits() {
        transaction.executeWithoutResult(status -> {
            shop.charge(order("joined"));
            assertThat(target().paid("joined")).isEqualTo(1);
            status.setRollbackOnly();
        });
        assertThat(target().paid("joined")).isZero();
        transaction.executeWithoutResult(status -> {
            target().pay("joined-and-more");
            shop.charge(order("joined"));
        });
        assertThat(target().paid("joined")).isEqualTo(1);
        assertThat(target().paid("joined-and-more")).isEqualTo(1);
        shop.charge(order("joined"));
        assertThat(target().paid("joined")).isEqualTo(1);
    }

    /** A savepoint does not undo what a persistence context holds, so with JPA the whole transaction is condemned. */
    @Test
    void failedCallInsideATransactionRollsBackAloneOrWithIt() {
        target().inside = () -> {
            throw new IllegalArgumentException("no");
        };
        ThrowingCallable around = () -> transaction.executeWithoutResult(status -> {
            target().pay("around");
            assertThatThrownBy(() -> shop.chargePlainly(order("undone"))).isInstanceOf(IllegalArgumentException.class);
        });
        if (jpa) {
            assertThatThrownBy(around).isInstanceOf(UnexpectedRollbackException.class);
        } else {
            assertThatNoException().isThrownBy(around);
        }
        assertThat(target().paid("around")).isEqualTo(jpa ? 0 : 1);
        assertThat(target().paid("undone")).isZero();
        target().inside = null;
        shop.chargePlainly(order("undone"));
        assertThat(target().paid("undone")).isEqualTo(1);
    }

    @Test
    void whileATransactionIsOpenADuplicateDoesNotRun() throws Exception {
        transaction.executeWithoutResult(status -> {
            shop.charge(order("open"));
            Future<?> other = threads.submit(() -> semel.run(
                    dev.semel.Operation.atomic("charge", Object.class, byte[].class),
                    dev.semel.Call.of(Tenant.SINGLE, Key.of("open"), order("open")),
                    (payload, tx) -> null));
            assertThat(result(other)).isInstanceOf(Answer.InProgress.class);
        });
        assertThat(target().paid("open")).isEqualTo(1);
    }

    private static Object result(Future<?> future) {
        try {
            return future.get(120, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void readOnlyTransactionCannotBeJoined() {
        TransactionTemplate readOnly = with(TransactionDefinition.PROPAGATION_REQUIRED);
        readOnly.setReadOnly(true);
        assertThatThrownBy(() -> readOnly.execute(status -> shop.charge(order("read-only"))))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("read-only transaction");
        assertThat(target().paid("read-only")).isZero();
    }

    @Test
    void operationInsideAnotherIsUndoneWithIt() {
        target().inside = () -> {
            target().inside = null;
            shop.chargePlainly(order("inner"));
            throw new IllegalStateException("after the inner one");
        };
        assertThatThrownBy(() -> shop.charge(order("outer"))).hasMessage("after the inner one");
        assertThat(target().paid("outer")).isZero();
        assertThat(target().paid("inner")).isZero();
        shop.charge(order("outer"));
        shop.chargePlainly(order("inner"));
        assertThat(target().paid("outer")).isEqualTo(1);
        assertThat(target().paid("inner")).isEqualTo(1);
    }

    @Test
    void newTransactionInsideAnOperationIsJoinedInstead() {
        if (database == Databases.SQLITE) {
            return;
        }
        target().inside =
                () -> with(TransactionDefinition.PROPAGATION_REQUIRES_NEW).execute(status -> {
                    target().inside = null;
                    shop.chargePlainly(order("apart"));
                    return null;
                });
        shop.charge(order("suspended"));
        assertThat(target().paid("apart")).isEqualTo(1);
        shop.chargePlainly(order("apart"));
        assertThat(target().paid("apart")).isEqualTo(1);
    }

    @Test
    void operationInsideASuspendedTransactionIsRejected() {
        target().inside =
                () -> with(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).execute(status -> {
                    target().inside = null;
                    shop.chargePlainly(order("nowhere"));
                    return null;
                });
        assertThatThrownBy(() -> shop.charge(order("suspending")))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("suspended");
        assertThat(target().paid("nowhere")).isZero();
        assertThat(target().paid("suspending")).isZero();
    }

    @Test
    void rollbackOnlyTransactionIsNotDone() {
        target().inside = () -> {
            try {
                return transaction.execute(status -> {
                    throw new IllegalStateException("swallowed");
                });
            } catch (IllegalStateException e) {
                return null;
            }
        };
        assertThatThrownBy(() -> shop.charge(order("condemned"))).isInstanceOf(UnexpectedRollbackException.class);
        assertThat(target().paid("condemned")).isZero();
        target().inside = null;
        shop.charge(order("condemned"));
        assertThat(target().paid("condemned")).isEqualTo(1);
    }

    @Test
    void callbacksRunAfterTheCommitAndTheirFailureUndoesNothing() {
        AtomicInteger after = new AtomicInteger();
        target().inside = () -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    after.incrementAndGet();
                    throw new IllegalStateException("a listener of the application");
                }
            });
            return null;
        };
        shop.charge(order("listened"));
        assertThat(after).hasValue(1);
        target().inside = null;
        shop.charge(order("listened"));
        assertThat(target().paid("listened")).isEqualTo(1);
        assertThat(after).hasValue(1);
    }

    @Test
    void afterCommitCallbackCannotJoinTheTransaction() {
        List<Throwable> thrown = new ArrayList<>();
        target().inside = () -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    try {
                        shop.chargePlainly(order("too-late"));
                    } catch (RuntimeException e) {
                        thrown.add(e);
                    }
                }
            });
            return null;
        };
        shop.charge(order("committing"));
        assertThat(thrown)
                .singleElement()
                .satisfies(e -> assertThat(e)
                        .isInstanceOf(SemelException.Invalid.class)
                        .hasMessageContaining("being committed"));
        assertThat(target().paid("too-late")).isZero();
    }

    @Test
    void leasedCallRunsOnceAndNotInsideATransaction() {
        String key = shop.post("p", null);
        assertThat(shop.post("p", null)).isEqualTo(key);
        assertThat(target().runs).hasValue(1);
        assertThatThrownBy(() -> transaction.execute(status -> shop.post("q", null)))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("post rejected: it is leased and was called inside a transaction");
        assertThat(target().runs).hasValue(1);
    }

    @Test
    void leasedCallThatMayHaveActedIsUnknownAndNotRepeated() {
        target().inside = () -> {
            throw new java.net.ConnectException("no reply");
        };
        assertThatThrownBy(() -> shop.post("lost", null))
                .isInstanceOfSatisfying(
                        SemelException.NoResult.class,
                        e -> assertThat(e.answer()).isInstanceOf(Answer.Unknown.class))
                .hasRootCauseMessage("no reply");
        assertThatThrownBy(() -> shop.post("lost", null)).isInstanceOf(SemelException.NoResult.class);
        assertThat(target().runs).hasValue(1);
    }

    @Test
    void callWithoutPatienceIsRejectedWhileAnotherRuns() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        target().inside = () -> {
            running.countDown();
            return go.await(120, TimeUnit.SECONDS);
        };
        Future<?> first = threads.submit(() -> shop.postOrRefuse("busy"));
        assertThat(running.await(120, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> shop.postOrRefuse("busy"))
                .isInstanceOfSatisfying(
                        SemelException.NoResult.class,
                        e -> assertThat(e.answer()).isInstanceOf(Answer.InProgress.class));
        go.countDown();
        first.get(120, TimeUnit.SECONDS);
        shop.postOrRefuse("busy");
        assertThat(target().runs).hasValue(1);
    }

    @Test
    void messageIsDeliveredOnlyIfItsTransactionCommits() {
        transaction.executeWithoutResult(status -> {
            semel.send(Shop.MAIL, Message.of(Tenant.SINGLE, Key.of("s1"), new Mail("s1", "hello")));
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            semel.send(Shop.MAIL, Message.of(Tenant.SINGLE, Key.of("s2"), new Mail("s2", "hello")));
        });
        shop.tell("s3", null);
        shop.tell("s3", null);
        eventually(() -> target().delivered("s2") == 1 && target().delivered("s3") == 1);
        assertThat(target().delivered("s1")).isZero();
        assertThat(target().paid("s3")).isEqualTo(1);
    }

    @Test
    void deliveryThatFailsLeavesNothingOfItsWrites() {
        dev.semel.operator.Operator operator = context.getBean(dev.semel.operator.Operator.class);
        semel.send(Shop.MAIL, Message.of(Tenant.SINGLE, Key.of("dead"), new Mail("dead", "broken")));
        eventually(() -> operator.find(Tenant.SINGLE, "mail", Key.of("dead"))
                .map(row -> row.state() == dev.semel.store.State.FAILED_TERMINAL)
                .orElse(false));
        assertThat(target().delivered("dead")).isZero();
    }

    @Test
    void stoppedContextPausesItsChannelsUntilItStarts() {
        context.stop();
        semel.send(Shop.MAIL, Message.of(Tenant.SINGLE, Key.of("paused"), new Mail("paused", "hello")));
        assertThat(target().delivered("paused")).isZero();
        context.start();
        eventually(() -> target().delivered("paused") == 1);
    }
}
