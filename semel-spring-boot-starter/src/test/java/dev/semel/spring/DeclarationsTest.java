package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.http.IdempotencyFilter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.bind.annotation.PostMapping;

/** What is wrong with annotations is said when the context starts, all of it. */
class DeclarationsTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory:");

    static class Wrong {
        @Idempotent(value = "a", key = "", form = Idempotent.Form.LEASED)
        public void noKey() {}

        @Idempotent(value = "b", key = "#id +", form = Idempotent.Form.LEASED)
        public void noExpression(String id) {}

        @Idempotent(value = "c", key = "#id", form = Idempotent.Form.LEASED)
        public CompletableFuture<String> later(String id) {
            return CompletableFuture.completedFuture(id);
        }

        @Idempotent(value = "d", key = "#id", form = Idempotent.Form.LEASED, policy = "no.such")
        public final void unreachable(String id) {}

        @Idempotent(value = "e", key = "#id", repeatable = true)
        public void contradicting(String id, LeasedContext run) {}

        @Idempotent(
                value = "f",
                key = "#id",
                form = Idempotent.Form.LEASED,
                whileRunning = Idempotent.WhileRunning.REJECT,
                patience = "2s")
        public void impatient(String id) {}

        @Idempotent(value = "g", key = "#id", form = Idempotent.Form.LEASED, patience = "soon")
        public void vague(String id) {}

        @Idempotent(value = "a", key = "#id", form = Idempotent.Form.LEASED)
        public void again(String id) {}
    }

    @Idempotent(level = Idempotent.Level.SPAN, policy = "no.such")
    static class WrongController {
        @PostMapping("/a")
        public String now() {
            return "";
        }

        @PostMapping("/b")
        public Callable<String> later() {
            return () -> "";
        }

        @PostMapping("/c")
        @Idempotent(level = Idempotent.Level.PLAIN)
        public Callable<String> own() {
            return () -> "";
        }
    }

    interface Api {
        @PostMapping("/d")
        String mapped();
    }

    static class Controller implements Api {
        @Override
        @Idempotent(level = Idempotent.Level.PLAIN)
        public String mapped() {
            return "";
        }
    }

    @Idempotent(value = "h", key = "#id")
    static class WrongService {
        public void run(String id) {}
    }

    static class WrongChannels {
        static final Channel.Leased<String> KNOWN = Channel.leased("known", String.class);

        @SemelChannel("none")
        public void nothing(AtomicContext tx) {}

        @SemelChannel("known")
        public void other(Integer number) {}

        @SemelChannel(value = "told", form = Idempotent.Form.LEASED)
        public String told(String text) {
            return text;
        }

        @SemelChannel("own")
        public void elsewhere(String text) {}

        @SemelChannel(value = "context", form = Idempotent.Form.LEASED, policy = "no.such")
        public void context(String text, AtomicContext tx) {}
    }

    static class Handlers {
        @SemelChannel(value = "twice", form = Idempotent.Form.LEASED, concurrency = 2)
        public void twice(String text) {}

        @SemelChannel(value = "well", form = Idempotent.Form.LEASED)
        public void well(String text) {}
    }

    private static ChannelCapacity capacity(String channel) {
        return new ChannelCapacity(
                channel, Channel.Capacity.of(3).withPerSecond(10).withBreaker(Channel.Breaker.usual()));
    }

    private static void assertFaults(Throwable failure, String... faults) {
        assertThat(failure).isInstanceOfSatisfying(SemelException.Misconfigured.class, e -> {
            for (String fault : faults) {
                assertThat(e.faults())
                        .anySatisfy(told -> assertThat(told).containsSubsequence(fault.split("\\.\\.\\.")));
            }
            assertThat(e.faults()).hasSize(faults.length);
        });
    }

    @Test
    void everyFaultOfMethodsIsNamed() {
        runner.withBean(Wrong.class)
                .run(context -> assertFaults(
                        context.getStartupFailure(),
                        "@Idempotent Wrong.noKey: its key is empty",
                        "@Idempotent Wrong.noExpression: its key \"#id +\" is not a valid SpEL expression",
                        "@Idempotent Wrong.later: it returns CompletableFuture",
                        "@Idempotent Wrong.unreachable: Spring cannot intercept a private, static or final method",
                        "@Idempotent Wrong.unreachable: unknown policy \"no.such\"",
                        "@Idempotent Wrong.contradicting: it has a parameter of type LeasedContext",
                        "@Idempotent Wrong.contradicting: repeatable applies only to leased methods",
                        "@Idempotent Wrong.contradicting: it is atomic, but the ledger has its own store",
                        "@Idempotent Wrong.impatient: it rejects while another call runs",
                        "@Idempotent Wrong.vague: its patience \"soon\"",
                        "duplicate operation name \"a\", also used by"));
    }

    @Test
    void everyFaultOfAClassIsNamed() {
        runner.withBean(WrongController.class)
                .withBean(WrongService.class)
                .run(context -> assertFaults(
                        context.getStartupFailure(),
                        "@Idempotent WrongController: unknown policy \"no.such\"",
                        "@Idempotent WrongController: its level is SPAN, but the ledger has its own store",
                        "@Idempotent WrongController.later: its level is SPAN, but it responds asynchronously",
                        "@Idempotent WrongService: the class has no request mappings"));
    }

    @Test
    void routeMayBeMappedByAnInterface() {
        runner.withBean(Controller.class).run(context -> assertThat(context).hasNotFailed());
    }

    static class Exempt {
        @PostMapping("/e")
        @Idempotent(header = Idempotent.Header.OFF)
        public String exempt() {
            return "";
        }
    }

    @Test
    void e12_unprotectedRouteFailsTheStart() {
        var web = new WebApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SemelAutoConfiguration.class, SemelHttpAutoConfiguration.class));
        var webflux = new ReactiveWebApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SemelAutoConfiguration.class, SemelHttpAutoConfiguration.class))
                .withPropertyValues("semel.store=memory:");
        String fault = "@Idempotent Controller.mapped: the route is not protected against running twice: ";
        web.withPropertyValues("semel.store=memory:", "semel.http.enabled=false")
                .withBean(Controller.class)
                .run(context ->
                        assertFaults(context.getStartupFailure(), fault + "the Idempotency-Key filter is disabled"));
        web.withBean(Semel.class, () -> Semel.open("memory:"))
                .withBean(Controller.class)
                .run(context ->
                        assertFaults(context.getStartupFailure(), fault + "the application has its own Semel bean"));
        webflux.withBean(Controller.class)
                .run(context -> assertFaults(context.getStartupFailure(), fault + "the application uses WebFlux"));
        webflux.withBean(Exempt.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void e12_routeProtectedByTheApplicationsFilterStarts() {
        new WebApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SemelAutoConfiguration.class, SemelHttpAutoConfiguration.class))
                .withBean(Semel.class, () -> Semel.open("memory:"))
                .withBean(
                        IdempotencyFilter.class,
                        () -> IdempotencyFilter.on(Semel.open("memory:"))
                                .withSingleTenant()
                                .build())
                .withBean(Controller.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void everyFaultOfChannelsIsNamed() {
        runner.withBean(WrongChannels.class)
                .withBean("known", Channel.class, () -> WrongChannels.KNOWN)
                .run(context -> assertFaults(
                        context.getStartupFailure(),
                        "@SemelChannel WrongChannels.nothing: it has no payload parameter",
                        "@SemelChannel WrongChannels.other: its payload parameter is a java.lang.Integer...carry"
                                + " java.lang.String",
                        "@SemelChannel WrongChannels.told: the return value of a channel handler is ignored",
                        "@SemelChannel WrongChannels.elsewhere: it is atomic, but the ledger has its own store",
                        "@SemelChannel WrongChannels.context: it has a parameter of type AtomicContext, but its channel is leased",
                        "@SemelChannel WrongChannels.context: unknown policy \"no.such\""));
    }

    @Test
    void capacityNeedsOneHandledChannel() {
        runner.withBean(Handlers.class)
                .withBean("first", ChannelCapacity.class, () -> capacity("twice"))
                .withBean("second", ChannelCapacity.class, () -> capacity("nobody"))
                .withBean("third", ChannelCapacity.class, () -> capacity("well"))
                .run(context -> assertFaults(
                        context.getStartupFailure(),
                        "@SemelChannel Handlers.twice: its capacity is set more than once",
                        "ChannelCapacity of \"nobody\": no @SemelChannel method"));
    }
}
