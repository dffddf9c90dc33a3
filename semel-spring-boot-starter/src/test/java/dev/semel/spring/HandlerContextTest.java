package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;

/** Handlers get their context as an injected bean or as a parameter; nobody passes null. */
class HandlerContextTest {
    static final Channel.Atomic<String> PRINT = Channel.atomic("print", String.class);
    static final Channel.Leased<String> SHIP = Channel.leased("ship", String.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SemelAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + Databases.SQLITE.fresh())
            .withBean(Inner.class)
            .withBean(IdempotentBean.class);

    static class Inner {
        private final AtomicContext tx;

        Inner(AtomicContext tx) {
            this.tx = tx;
        }

        @Idempotent(value = "inner", key = "#id", tenant = "'inner'")
        public String run(String id) {
            return tx.tenant().name();
        }
    }

    static class IdempotentBean {
        private final AtomicContext tx;
        private final LeasedContext run;
        private final Inner inner;
        private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

        IdempotentBean(AtomicContext tx, LeasedContext run, Inner inner) {
            this.tx = tx;
            this.run = run;
            this.inner = inner;
        }

        public String taken() throws InterruptedException {
            return String.valueOf(handled.poll(60, TimeUnit.SECONDS));
        }

        @Idempotent(value = "injected-atomic", key = "#id")
        public String atomic(String id) {
            tx.send(PRINT, Key.of(id), id);
            return tx.tenant().name() + " " + tx.attempt();
        }

        @Idempotent(value = "injected-leased", key = "#id", form = Idempotent.Form.LEASED)
        public String leased(String id) throws Exception {
            return run.attempt() + " " + run.step("part", String.class, key -> "done");
        }

        @Idempotent(value = "parameter-first", key = "#id")
        public String parameter(AtomicContext given, String id) {
            return given.tenant().name() + " " + id;
        }

        @Idempotent(value = "outer", key = "#id", tenant = "'outer'")
        public String outer(String id) {
            return tx.tenant().name() + " " + inner.run(id) + " " + tx.tenant().name();
        }

        @Idempotent(value = "wrong-form", key = "#id", form = Idempotent.Form.LEASED, policy = "ingress.ack")
        public String wrongForm(String id) {
            return tx.tenant().name();
        }

        @SemelChannel("print")
        public void print(Tenant tenant, String text, AtomicContext given) {
            handled.add("print " + tenant.name() + " " + text + " " + given.attempt() + tx.attempt());
        }

        @SemelChannel(value = "ship", form = Idempotent.Form.LEASED)
        public void ship(LeasedContext given, String text) {
            handled.add("ship " + text + " " + given.downstreamKey().equals(run.downstreamKey()));
        }
    }

    @Test
    void injectedContextIsThatOfTheRunningMethod() {
        runner.run(context -> {
            IdempotentBean bean = context.getBean(IdempotentBean.class);
            assertThat(bean.atomic("a-1")).isEqualTo("default 1");
            assertThat(bean.leased("l-1")).isEqualTo("1 done");
            assertThat(bean.taken()).isEqualTo("print default a-1 11");
        });
    }

    @Test
    void handlerTakesPayloadContextAndTenantInAnyOrder() {
        runner.run(context -> {
            IdempotentBean bean = context.getBean(IdempotentBean.class);
            Semel semel = context.getBean(Semel.class);
            semel.send(PRINT, Message.of(Tenant.of("acme"), Key.of("p-1"), "label"));
            assertThat(bean.taken()).isEqualTo("print acme label 11");
            semel.send(SHIP, Message.of(Tenant.of("acme"), Key.of("s-1"), "box"));
            assertThat(bean.taken()).isEqualTo("ship box true");
        });
    }

    @Test
    void callerOfAMethodWithAContextParameterPassesTheInjectedOne() {
        runner.run(context -> assertThat(
                        context.getBean(IdempotentBean.class).parameter(context.getBean(AtomicContext.class), "p-1"))
                .isEqualTo("default p-1"));
    }

    @Test
    void innerMethodHasItsOwnContextUntilItReturns() {
        runner.run(context ->
                assertThat(context.getBean(IdempotentBean.class).outer("o-1")).isEqualTo("outer inner outer"));
    }

    @Test
    void injectedContextIsRejectedOutsideARun() {
        runner.run(context -> {
            assertThatThrownBy(() -> context.getBean(AtomicContext.class).tenant())
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("AtomicContext was used outside a run: use it only in an @Idempotent method");
            assertThatThrownBy(() -> context.getBean(LeasedContext.class).fence())
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("LeasedContext was used outside a run");
        });
    }

    @Test
    void injectedContextOfTheOtherFormIsRejected() {
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(IdempotentBean.class).wrongForm("w-1"))
                .satisfies(thrown -> assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
                        .hasMessageContaining(
                                "AtomicContext was used in a method that is not atomic: inject LeasedContext")));
    }

    @Test
    void methodDoesNotRunWhenTheTenantIsUnknown() {
        runner.withBean(TenantResolver.class, () -> Optional::empty)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(IdempotentBean.class).atomic("t-1"))
                        .isInstanceOf(SemelException.Invalid.class)
                        .hasMessageContaining("the tenant of the caller is unknown"));
    }
}
