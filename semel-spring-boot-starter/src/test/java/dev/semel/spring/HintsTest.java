package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.AtomicContext;
import dev.semel.operator.Replays;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;

/** What is registered for ahead-of-time processing. */
class HintsTest {
    record Order(String id, List<Line> lines) {}

    record Line(String item) {}

    record Receipt(int number) {}

    static class Shop {
        @Idempotent(value = "charge", key = "#order.id")
        public Receipt charge(Order order, @Nullable AtomicContext tx) {
            return new Receipt(1);
        }

        @SemelChannel("mail")
        public void mail(Line line) {}
    }

    @Test
    void registrarIsFoundAndRegistersTheResourcesAndTypesOfSemel() {
        RuntimeHints hints = new RuntimeHints();
        assertThat(AotServices.factories().load(RuntimeHintsRegistrar.class))
                .filteredOn(SemelHints.class::isInstance)
                .singleElement()
                .satisfies(
                        registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
        for (String resource : List.of(
                "dev/semel/jdbc/postgres/V1.sql",
                "dev/semel/jdbc/sqlite/V2.sql",
                "dev/semel/spring/liquibase.xml",
                "META-INF/services/dev.semel.store.StoreProvider")) {
            assertThat(getClass().getClassLoader().getResource(resource))
                    .as(resource)
                    .isNotNull();
            assertThat(RuntimeHintsPredicates.resource().forResource(resource))
                    .as(resource)
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Connection.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Replays.Bulk.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(SemelHttpProperties.HttpTuning.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(LedgerTables.class))
                .accepts(hints);
    }

    @Test
    void handlersAndTheTypesOfTheirPayloadsAndResultsAreRegistered() throws NoSuchMethodException {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Shop.class);
        Method charge = Shop.class.getMethod("charge", Order.class, AtomicContext.class);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(charge))
                .accepts(hints);
        for (Class<?> type : List.of(Order.class, Line.class, Receipt.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(type))
                    .as(type.getName())
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onType(AtomicContext.class))
                .rejects(hints);
    }
}
