package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.operator.Operator;
import dev.semel.store.State;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is done when something dies, by annotation: called in the commit of the dead letter, and checked when the context starts. */
class OnDeadMethodsTest {
    record Invitation(String address) {}

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory:");

    static final Channel.Leased<String> REVIEW = Channel.leased("review", String.class);

    static class Invitations {
        private final BlockingQueue<String> reviews = new LinkedBlockingQueue<>();

        public String review() throws InterruptedException {
            return String.valueOf(reviews.poll(120, TimeUnit.SECONDS));
        }

        @SemelChannel(value = "review", form = Idempotent.Form.LEASED)
        public void review(String text) {
            reviews.add(text);
        }

        // region death
        @SemelChannel("invite")
        public void invite(Invitation invitation) {
            throw new IllegalArgumentException("there is no " + invitation.address());
        }

        @SemelOnDead("invite")
        public void undeliverable(Death<Invitation> death, AtomicContext tx) {
            String address = death.payload().map(Invitation::address).orElse("unreadable");
            tx.send(
                    REVIEW,
                    death.key("review"),
                    address + ": " + death.failure().category());
        }
        // endregion

        @Idempotent(value = "order", key = "#invitation.address", form = Idempotent.Form.LEASED)
        public void order(Invitation invitation) {
            throw Failure.of(Failure.Category.RATE_LIMITED, "tomorrow")
                    .withRetryAfter(Duration.ofDays(1))
                    .asException();
        }

        @SemelOnDead("order")
        public void notOrdered(Tenant tenant, AtomicContext tx, Death<Invitation> death) {
            tx.send(REVIEW, death.key("review"), tenant.name() + " " + death.payload());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Declared {
        @Bean
        Channel<Invitation> invite() {
            return Channel.leased("invite", Invitation.class)
                    .withPolicy(Policy.named("once").withMaxAttempts(1).build());
        }

        @Bean
        Invitations invitations() {
            return new Invitations();
        }
    }

    @Test
    void methodOfAChannelIsCalledWithItsDeadLetter() {
        runner.withUserConfiguration(Declared.class).run(context -> {
            Channel<Invitation> invite = new Declared().invite();
            context.getBean(Semel.class)
                    .send(invite, Message.of(Tenant.SINGLE, Key.of("i-1"), new Invitation("ann@nowhere")));
            assertThat(context.getBean(Invitations.class).review()).isEqualTo("ann@nowhere: UNKNOWN");
            assertThat(context.getBean(Operator.class).find(Tenant.SINGLE, "invite", Key.of("i-1")))
                    .hasValueSatisfying(row -> assertThat(row.state()).isEqualTo(State.FAILED_TERMINAL));
        });
    }

    @Test
    void methodOfAnIdempotentMethodGetsItsArgumentInTheDeclaredType() {
        runner.withUserConfiguration(Declared.class).run(context -> {
            Invitations invitations = context.getBean(Invitations.class);
            assertThatThrownBy(() -> invitations.order(new Invitation("bob@nowhere")))
                    .isInstanceOf(Failure.Thrown.class)
                    .hasMessageContaining("tomorrow");
            assertThat(invitations.review()).isEqualTo("default Optional[Invitation[address=bob@nowhere]]");
        });
    }

    static class Wrong {
        @SemelChannel(value = "invite", form = Idempotent.Form.LEASED)
        public void invite(Invitation invitation) {}

        @SemelOnDead("invte")
        public void misspelt(Death<Invitation> death, AtomicContext tx) {}

        @SemelOnDead("invite")
        public void other(Death<String> death, AtomicContext tx) {}

        @SemelOnDead("invite")
        private String second(Invitation invitation) {
            return "";
        }
    }

    @Test
    void allFaultsOfOnDeadMethodsAreReportedTogether() {
        runner.withBean(Wrong.class)
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "@SemelOnDead Wrong.misspelt: there is no operation or channel \"invte\"; perhaps invite is meant",
                        "@SemelOnDead Wrong.other: it takes a Death<java.lang.String>, but the payload of \"invite\" is a",
                        "@SemelOnDead Wrong.second: an onDead method must not be private or static",
                        "@SemelOnDead Wrong.second: the return value of an onDead method is ignored",
                        "@SemelOnDead Wrong.second: the ledger has its own store (semel.store)",
                        "@SemelOnDead Wrong.second: \"invite\" has another onDead method, Wrong.other: keep one of the two",
                        "@SemelOnDead Wrong.second: its parameters must be one Death"));
    }
}
