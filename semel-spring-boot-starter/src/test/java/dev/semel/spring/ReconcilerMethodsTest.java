package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.Operator;
import dev.semel.store.State;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Reconcilers by annotation: called with payload and case in the declared types, and checked when the context starts. */
class ReconcilerMethodsTest {
    record Refund(String order, long cents) {}

    record RefundId(String value) {}

    record Transfer(String from, long cents) {}

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory:");

    static class Refunds {
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

        public String asked() throws InterruptedException {
            return String.valueOf(asked.poll(120, TimeUnit.SECONDS));
        }

        // region reconciler
        @Idempotent(value = "refund", key = "#refund.order", form = Idempotent.Form.LEASED)
        public RefundId refund(Refund refund) throws SocketTimeoutException {
            return callProvider(refund);
        }

        @SemelReconciler("refund")
        public Verdict<RefundId> lookUp(Refund refund, Reconciler.Case interrupted) {
            return findAtProvider(interrupted.downstreamKey(), refund.order())
                    .map(Verdict::tookEffect)
                    .orElseGet(() -> Verdict.stillUnknown("the provider does not know the refund yet"));
        }
        // endregion

        private RefundId callProvider(Refund refund) throws SocketTimeoutException {
            throw new SocketTimeoutException("the provider did not respond to " + refund.order());
        }

        private Optional<RefundId> findAtProvider(String downstreamKey, String order) {
            asked.add(order + " " + !downstreamKey.isEmpty());
            return Optional.of(new RefundId("r-" + order));
        }

        @Idempotent(value = "transfer", key = "#from", form = Idempotent.Form.LEASED)
        public int transfer(String from, List<Long> cents) throws SocketTimeoutException {
            throw new SocketTimeoutException("lost");
        }

        @SemelReconciler("transfer")
        public Verdict<Integer> transferred(Tenant tenant, String from, List<Long> cents) {
            asked.add(tenant.name() + " " + from + " " + cents);
            return Verdict.tookEffect(7);
        }

        @Idempotent(value = "whole", key = "#from", form = Idempotent.Form.LEASED)
        public void whole(String from, long cents) throws SocketTimeoutException {
            throw new SocketTimeoutException("lost");
        }

        @SemelReconciler("whole")
        public Verdict<Void> whole(Reconciler.Case interrupted, Transfer transfer) {
            asked.add(transfer + " " + interrupted.tenant().name());
            return Verdict.tookEffect(null);
        }
    }

    @Test
    void reconcilerOfAMethodGetsItsArgumentAndItsVerdictIsTheResult() {
        runner.withBean(Refunds.class).run(context -> {
            Refunds refunds = context.getBean(Refunds.class);
            assertThatThrownBy(() -> refunds.refund(new Refund("o-1", 500)))
                    .isInstanceOfSatisfying(
                            SemelException.NoResult.class,
                            e -> assertThat(e.answer()).isInstanceOf(Answer.Unknown.class));
            assertThat(refunds.asked()).isEqualTo("o-1 true");
            untilCompleted(context.getBean(Operator.class), "refund", "o-1");
            assertThat(refunds.refund(new Refund("o-1", 500))).isEqualTo(new RefundId("r-o-1"));
        });
    }

    @Test
    void reconcilerOfAMethodWithSeveralArgumentsTakesEachOfThem() {
        runner.withBean(Refunds.class).run(context -> {
            Refunds refunds = context.getBean(Refunds.class);
            assertThatThrownBy(() -> refunds.transfer("a", List.of(1L, 2L)))
                    .isInstanceOf(SemelException.NoResult.class);
            assertThat(refunds.asked()).isEqualTo("default a [1, 2]");
            untilCompleted(context.getBean(Operator.class), "transfer", "a");
            assertThat(refunds.transfer("a", List.of(1L, 2L))).isEqualTo(7);
        });
    }

    @Test
    void reconcilerOfAMethodWithSeveralArgumentsTakesThemAsOneRecord() {
        runner.withBean(Refunds.class).run(context -> {
            Refunds refunds = context.getBean(Refunds.class);
            assertThatThrownBy(() -> refunds.whole("b", 9)).isInstanceOf(SemelException.NoResult.class);
            assertThat(refunds.asked()).isEqualTo("Transfer[from=b, cents=9] default");
            untilCompleted(context.getBean(Operator.class), "whole", "b");
            refunds.whole("b", 9);
        });
    }

    static class Parcels {
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

        public String asked() throws InterruptedException {
            return String.valueOf(asked.poll(120, TimeUnit.SECONDS));
        }

        @SemelChannel("parcel")
        public void ship(String parcel) throws SocketTimeoutException {
            throw new SocketTimeoutException("lost");
        }

        @SemelReconciler("parcel")
        public Verdict<Void> shipped(String parcel) {
            asked.add(parcel);
            return Verdict.tookEffect(null);
        }

        @SemelReconciler("payout")
        public Verdict<RefundId> paid(Refund refund) {
            asked.add(refund.order());
            return Verdict.tookEffect(new RefundId("p-1"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Declared {
        static final Channel.Leased<String> PARCEL =
                Channel.leased("parcel", String.class).asUnrepeatable();
        static final Operation.Leased<Refund, RefundId> PAYOUT =
                Operation.leased("payout", Refund.class, RefundId.class);

        @Bean
        Channel<String> parcel() {
            return PARCEL;
        }

        @Bean
        Operation.Leased<Refund, RefundId> payout() {
            return PAYOUT;
        }

        @Bean
        Parcels parcels() {
            return new Parcels();
        }
    }

    @Test
    void reconcilerOfAChannelCompletesTheMessage() {
        runner.withUserConfiguration(Declared.class).run(context -> {
            context.getBean(Semel.class).send(Declared.PARCEL, Message.of(Tenant.SINGLE, Key.of("p-1"), "box"));
            assertThat(context.getBean(Parcels.class).asked()).isEqualTo("box");
            untilCompleted(context.getBean(Operator.class), "parcel", "p-1");
        });
    }

    @Test
    void reconcilerOfAnOperationBeanDecidesARunOfTheEngine() {
        runner.withUserConfiguration(Declared.class).run(context -> {
            Semel semel = context.getBean(Semel.class);
            Call<Refund> call = Call.of(Tenant.SINGLE, Key.of("k"), new Refund("o-2", 1));
            assertThat(semel.run(Declared.PAYOUT, call, (refund, run) -> {
                        throw new SocketTimeoutException("lost");
                    }))
                    .isInstanceOf(Answer.Unknown.class);
            assertThat(context.getBean(Parcels.class).asked()).isEqualTo("o-2");
            untilCompleted(context.getBean(Operator.class), "payout", "k");
            assertThat(semel.run(Declared.PAYOUT, call, (refund, run) -> new RefundId("other"))
                            .orThrow())
                    .isEqualTo(new RefundId("p-1"));
        });
    }

    static class Wrong {
        @Idempotent(value = "charge", key = "#id")
        public void charge(String id, AtomicContext tx) {}

        @Idempotent(value = "refund", key = "#id", form = Idempotent.Form.LEASED)
        public RefundId refund(String id, long cents) {
            return new RefundId(id);
        }

        @Idempotent(value = "notify", key = "#id", form = Idempotent.Form.LEASED)
        public void tell(String id) {}

        @SemelReconciler("charge")
        public Verdict<Void> atomic(String id) {
            return Verdict.noEffect();
        }

        @SemelReconciler("refnd")
        public Verdict<RefundId> misspelt(String id) {
            return Verdict.noEffect();
        }

        @SemelReconciler("refund")
        public Verdict<String> otherResult(String id, String cents) {
            return Verdict.noEffect();
        }

        @SemelReconciler("refund")
        public Verdict<RefundId> second(Map<String, Object> all) {
            return Verdict.noEffect();
        }

        @SemelReconciler("notify")
        private boolean verdictless(Integer id) {
            return true;
        }
    }

    @Test
    void allFaultsOfReconcilersAreReportedTogether() {
        runner.withBean(Wrong.class)
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "@SemelReconciler Wrong.atomic: \"charge\" is atomic: an interrupted run is rolled back",
                        "@SemelReconciler Wrong.misspelt: there is no operation or channel \"refnd\"; perhaps refund is meant",
                        "@SemelReconciler Wrong.otherResult: its parameters do not match the payload of \"refund\": take String,"
                                + " long",
                        "@SemelReconciler Wrong.otherResult: its verdict has a String, but the result of the operation is a"
                                + " RefundId",
                        "@SemelReconciler Wrong.second: \"refund\" has another reconciler, Wrong.otherResult: keep one of the"
                                + " two",
                        "@SemelReconciler Wrong.verdictless: a reconciler must not be private or static",
                        "@SemelReconciler Wrong.verdictless: its parameters do not match the payload of \"notify\": take"
                                + " String",
                        "@SemelReconciler Wrong.verdictless: it returns boolean: return Reconciler.Verdict<Void>"));
    }

    private static void untilCompleted(Operator operator, String operation, String key) {
        ShopSuite.eventually(() -> operator.find(Tenant.SINGLE, operation, Key.of(key))
                .map(row -> row.state() == State.COMPLETED)
                .orElse(false));
    }
}
