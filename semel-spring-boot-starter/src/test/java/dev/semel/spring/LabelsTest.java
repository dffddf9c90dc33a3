package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Switchboard;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Labels of routes and of methods with a key: a mode that is set for a label applies to them. */
class LabelsTest {
    private static final Warrant WARRANT = new Warrant("ann", "a dry run");

    @Component
    static class Bank {
        @Idempotent(
                value = "transfer",
                key = "#id",
                labels = {"money", "side-effects"})
        public String transfer(String id) {
            return "transferred " + id;
        }

        @Idempotent(value = "call", key = "#id", form = Idempotent.Form.LEASED, labels = "side-effects")
        public String call(String id) {
            return "called " + id;
        }

        @Idempotent(value = "look", key = "#id")
        public String look(String id) {
            return "looked " + id;
        }
    }

    @RestController
    static class Api {
        @PostMapping("/annotated")
        @Idempotent(labels = "side-effects")
        String annotated() {
            return "done";
        }

        @PostMapping("/payments/{id}")
        String configured(@PathVariable String id) {
            return "done";
        }

        @PostMapping("/plain")
        String plain() {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Bank.class, Api.class})
    static class Application {}

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .properties(Stream.concat(
                                Stream.of(
                                        "server.port=0",
                                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                                        "spring.main.banner-mode=off",
                                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                                        "semel.http.anonymous=true"),
                                Stream.of(properties))
                        .toArray(String[]::new))
                .run();
    }

    private static void set(Operator operator, Mode mode) throws Exception {
        Switchboard.Group label = new Switchboard.Group(Switchboard.Group.By.LABEL, "side-effects");
        operator.setMode(Switchboard.Setting.forGroup(null, label, mode), WARRANT);
        operator.awaitModes();
    }

    @Test
    void labelSwitchesRoutesAndMethodsThatHaveIt() throws Exception {
        try (var context = start("semel.http.labels.side-effects=/payments/**")) {
            Web web = Web.of(context);
            Bank bank = context.getBean(Bank.class);
            Operator operator = context.getBean(Operator.class);
            set(operator, Mode.HALTED);
            for (String path : List.of("/annotated", "/payments/7")) {
                assertThat(web.post(path, "k-1", "{}").statusCode()).as(path).isEqualTo(503);
            }
            assertThat(web.post("/plain", "k-1", "{}").statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> bank.transfer("a")).isInstanceOf(SemelException.NoResult.class);
            assertThatThrownBy(() -> bank.call("a")).isInstanceOf(SemelException.NoResult.class);
            assertThat(bank.look("a")).isEqualTo("looked a");
            set(operator, Mode.LIVE);
            for (String path : List.of("/annotated", "/payments/7")) {
                assertThat(web.post(path, "k-1", "{}").statusCode()).as(path).isEqualTo(200);
            }
            assertThat(bank.transfer("a")).isEqualTo("transferred a");
        }
    }

    @Test
    void labelThatIsTooLongFailsTheStart() {
        String label = "x".repeat(121);
        assertThatThrownBy(() -> start("semel.http.labels." + label + "=/payments/**"))
                .satisfies(failure -> assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
                        .isInstanceOfSatisfying(
                                SemelException.Misconfigured.class,
                                e -> assertThat(e.faults())
                                        .anyMatch(fault -> fault.startsWith("semel.http.labels." + label))));
    }
}
