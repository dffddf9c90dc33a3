package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation.TypeRef;
import dev.semel.Semel;
import dev.semel.Tenant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Handlers of channels: payloads with type arguments, and whether a delivery is repeatable. */
class ChannelMethodsTest {
    record Order(String id) {}

    private static final Channel.Leased<List<Order>> ORDERS = Channel.leased("orders", new TypeRef<List<Order>>() {});

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory:");

    /** The type argument is known to the subclass only. */
    abstract static class Listing<T> {
        final BlockingQueue<T> handled = new LinkedBlockingQueue<>();

        @SemelChannel(value = "orders", form = Idempotent.Form.LEASED)
        public void handle(List<T> all) {
            handled.addAll(all);
        }
    }

    static class Handlers extends Listing<Order> {}

    @Test
    void handlerGetsTheElementsOfAListWithTheirType() {
        runner.withBean(Handlers.class).run(context -> {
            context.getBean(Semel.class)
                    .send(ORDERS, Message.of(Tenant.SINGLE, Key.of("k"), List.of(new Order("a"))))
                    .orThrow();
            Order order = context.getBean(Handlers.class).handled.poll(1, TimeUnit.MINUTES);
            assertThat(order).isEqualTo(new Order("a"));
        });
    }

    static class OtherElements {
        @SemelChannel("orders")
        public void handle(List<Integer> all) {}
    }

    @Test
    void handlerOfOtherElementsThanTheChannelCarriesIsRejected() {
        runner.withBean(Channel.class, () -> ORDERS)
                .withBean(OtherElements.class)
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "OtherElements.handle: its payload parameter is a java.util.List<java.lang.Integer>, but messages of"
                                + " the channel carry java.util.List<"));
    }

    static class Unrepeatable {
        @SemelChannel(value = "once", form = Idempotent.Form.LEASED, repeatable = false)
        public void once(Order order) {}
    }

    static class Contradicting {
        @SemelChannel(value = "atomic", repeatable = false)
        public void atomic(Order order, AtomicContext tx) {}

        @SemelChannel(value = "orders", repeatable = false)
        public void bean(List<Order> orders) {}
    }

    @Test
    void unrepeatableIsForLeasedChannelsWithoutABean() {
        runner.withBean(Unrepeatable.class)
                .run(context -> assertThat(context.getStartupFailure()).isNull());
        runner.withBean(Channel.class, () -> ORDERS)
                .withBean(Contradicting.class)
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "Contradicting.atomic: it declares repeatable = false, but its channel is atomic",
                        "Contradicting.bean: it declares repeatable = false, but its channel is a bean"));
    }
}
