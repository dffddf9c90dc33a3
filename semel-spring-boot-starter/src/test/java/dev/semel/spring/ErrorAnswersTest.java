package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.Mode;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.VersionMismatch;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Errors of handlers are Spring Boot's own, and Semel's exceptions have their codes, with a key and without. */
class ErrorAnswersTest {
    private static final String SECRET = "row 4711 of Meier";

    private static ConfigurableApplicationContext context;
    private static Web web;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Counter.class, Payments.class})
    static class Application {}

    @ResponseStatus(code = HttpStatus.GONE, reason = SECRET)
    static final class Closed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @RestController
    static class Counter {
        private final Payments payments;

        Counter(Payments payments) {
            this.payments = payments;
        }

        private static void refuse(String how, HttpServletResponse response) throws IOException {
            switch (how) {
                case "sent" -> response.sendError(404, SECRET);
                case "annotated" -> throw new Closed();
                case "thrown" -> throw new ResponseStatusException(HttpStatus.CONFLICT, SECRET);
                default -> throw new IllegalArgumentException(how);
            }
        }

        @PostMapping("/keyed/{how}")
        public void keyed(@PathVariable String how, HttpServletResponse response) throws IOException {
            refuse(how, response);
        }

        @PostMapping("/span/{how}")
        @Idempotent(level = Idempotent.Level.SPAN)
        public void span(@PathVariable String how, HttpServletResponse response) throws IOException {
            refuse(how, response);
        }

        @PostMapping("/passed/{how}")
        @Idempotent(header = Idempotent.Header.OFF)
        public void passed(@PathVariable String how, HttpServletResponse response) throws IOException {
            refuse(how, response);
        }

        @PostMapping("/changes/{how}")
        @Idempotent(header = Idempotent.Header.OPTIONAL)
        public void changes(@PathVariable String how) {
            changed(how);
        }

        private void changed(String how) {
            switch (how) {
                case "version" -> throw new VersionMismatch("it is at 8");
                case "lock" -> throw new OptimisticLockingFailureException("it is at 8");
                default -> payments.pay("once", how);
            }
        }

        @PostMapping("/off/{how}")
        @Idempotent(header = Idempotent.Header.OFF)
        public void off(@PathVariable String how) {
            changed(how);
        }

        @PostMapping("/pays/{id}")
        public String pays(@PathVariable String id) {
            return payments.pay(id, "1");
        }

        @PostMapping("/calls/{id}")
        public String calls(@PathVariable String id) {
            return payments.call(id);
        }
    }

    @Service
    static class Payments {
        private final JdbcTemplate jdbc;
        private final AtomicInteger runs = new AtomicInteger();
        static final CountDownLatch ENTERED = new CountDownLatch(1);
        static final CountDownLatch LEAVE = new CountDownLatch(1);

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(value = "pay", key = "#id")
        public String pay(String id, String amount) {
            jdbc.update("INSERT INTO payment (id) VALUES (?)", id);
            return "paid " + runs.incrementAndGet();
        }

        @Idempotent(
                value = "call",
                key = "#id",
                form = Idempotent.Form.LEASED,
                whileRunning = Idempotent.WhileRunning.REJECT)
        public String call(String id) {
            if (id.equals("slow")) {
                ENTERED.countDown();
                try {
                    assertThat(LEAVE.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            if (id.equals("lost")) {
                throw new IllegalStateException("connection reset");
            }
            return "called";
        }
    }

    private static ConfigurableApplicationContext started(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of(
                "server.port=0",
                "spring.datasource.url=" + Databases.SQLITE.fresh(),
                "spring.main.banner-mode=off",
                "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                "semel.http.anonymous=true"));
        ConfigurableApplicationContext started = new SpringApplicationBuilder(Application.class)
                .properties(all.toArray(String[]::new))
                .run();
        started.getBean(JdbcTemplate.class).execute("CREATE TABLE payment (id TEXT NOT NULL)");
        return started;
    }

    private static Web web(ConfigurableApplicationContext of) {
        return new Web(Integer.parseInt(String.valueOf(of.getEnvironment().getProperty("local.server.port"))), null);
    }

    @BeforeAll
    static void start() {
        context = started();
        web = web(context);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static List<State> records(String operation) {
        List<State> found = new ArrayList<>();
        for (State state : State.values()) {
            context.getBean(Operator.class).list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 1000).stream()
                    .filter(row -> row.header().operation().equals(operation))
                    .forEach(row -> found.add(state));
        }
        return found;
    }

    private static String shape(HttpResponse<String> response) {
        return response.statusCode() + " "
                + response.headers().firstValue("Content-Type").orElse("") + " "
                + response.body()
                        .replaceAll("\"timestamp\":\"[^\"]*\"", "\"timestamp\":...")
                        .replaceAll("/(keyed|span|passed)/", "/.../");
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(response.body()).contains("\"" + code + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sent", "annotated", "thrown"})
    void errorOfSpringBootIsReplayedWithTheSameBytes(String how) {
        String without = shape(web.post("/passed/" + how, null, null));
        assertThat(without)
                .contains("\"error\":", "\"path\":\"/.../" + how + "\"")
                .doesNotContain(SECRET);
        for (String level : new String[] {"keyed", "span"}) {
            HttpResponse<String> first = web.post("/" + level + "/" + how, "k-" + how, null);
            HttpResponse<String> again = web.post("/" + level + "/" + how, "k-" + how, null);
            assertThat(shape(first)).isEqualTo(without);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(again.statusCode()).isEqualTo(first.statusCode());
            assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        }
    }

    @Test
    void messageIsShownIfSpringBootIsConfiguredToShowIt() {
        try (ConfigurableApplicationContext showing =
                started("spring.web.error.include-message=always", "server.error.include-message=always")) {
            Web there = web(showing);
            for (String how : new String[] {"sent", "annotated", "thrown"}) {
                String without = shape(there.post("/passed/" + how, null, null));
                assertThat(without).contains("\"message\":\"" + SECRET + "\"");
                assertThat(shape(there.post("/keyed/" + how, "k-1" + how, null)))
                        .isEqualTo(without);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"version", "lock"})
    void aVersionMismatchIsAnsweredAlikeWithAKeyAndWithout(String how) {
        for (String key : new String[] {"k-" + how, "k-" + how, null}) {
            assertProblem(web.post("/changes/" + how, key, null), 409, "concurrency.version_mismatch");
        }
    }

    @Test
    void semelsOwnExceptionsHaveTheirCodesWhereTheFilterLetsRequestsPass() {
        assertProblem(web.post("/off/version", null, null), 409, "concurrency.version_mismatch");
        context.getBean(Payments.class).pay("once", "first");
        assertProblem(web.post("/off/second", null, null), 409, "idempotency.payload_mismatch");
        assertThat(web.post("/off/lock", null, null).statusCode()).isEqualTo(500);
    }

    @Test
    void conflictOfAMethodInsideARequestIsAConflictAndIsKept() {
        context.getBean(Payments.class).pay("once", "first");
        assertProblem(web.post("/changes/other", null, null), 409, "idempotency.payload_mismatch");
        assertProblem(web.post("/changes/other", "k-c", null), 409, "idempotency.payload_mismatch");
        HttpResponse<String> again = web.post("/changes/other", "k-c", null);
        assertProblem(again, 409, "idempotency.payload_mismatch");
        assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pays", "calls"})
    void replayedMethodInsideARequestIsNotAMissingMark(String path) {
        Payments payments = context.getBean(Payments.class);
        String first = path.equals("pays") ? payments.pay("before", "1") : payments.call("before");
        Logger logger = (Logger) LoggerFactory.getLogger(IdempotencyFilter.class);
        ListAppender<ILoggingEvent> heard = new ListAppender<>();
        heard.start();
        logger.addAppender(heard);
        try {
            assertThat(web.post("/" + path + "/before", "k-before", null).body())
                    .isEqualTo(first);
        } finally {
            logger.detachAppender(heard);
        }
        assertThat(heard.list).isEmpty();
    }

    @Test
    void methodRunningElsewhereIsReportedAndTheRequestMayBeRetried() throws Exception {
        Payments payments = context.getBean(Payments.class);
        CompletableFuture<String> elsewhere = CompletableFuture.supplyAsync(() -> payments.call("slow"));
        assertThat(Payments.ENTERED.await(60, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> busy = web.post("/calls/slow", "k-slow", null);
            assertProblem(busy, 409, "idempotency.in_progress");
            assertThat(busy.headers().firstValue("Retry-After")).isPresent();
        }
        Payments.LEAVE.countDown();
        assertThat(elsewhere.get(60, TimeUnit.SECONDS)).isEqualTo("called");
        assertThat(web.post("/calls/slow", "k-slow", null).body()).isEqualTo("called");
    }

    @Test
    void methodWithUnknownOutcomeIsReportedAsUnknown() {
        for (int i = 0; i < 2; i++) {
            assertProblem(web.post("/calls/lost", "k-lost", null), 409, "idempotency.outcome_unknown");
        }
    }

    @Test
    void haltedMethodIsReportedAndTheRequestMayBeRetried() throws Exception {
        Operator operator = context.getBean(Operator.class);
        operator.setMode(new Switchboard.Setting(null, "pay", Mode.HALTED), new Warrant("ann", "drill"));
        operator.awaitModes();
        try {
            for (int i = 0; i < 2; i++) {
                assertProblem(web.post("/pays/h-1", "k-h-1", null), 503, "operation.halted");
            }
        } finally {
            operator.setMode(new Switchboard.Setting(null, "pay", Mode.LIVE), new Warrant("ann", "drill over"));
            operator.awaitModes();
        }
        assertThat(web.post("/pays/h-1", "k-h-1", null).statusCode()).isEqualTo(200);
        assertThat(records("POST /pays/{id}")).contains(State.COMPLETED);
    }
}
