package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.testkit.Await;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Few reports and exports walk through the ledger at once. */
class ReportLimitTest {
    private static final AdminReply.OneObject DONE = new AdminReply.OneObject(Map.of());

    private static final ServerActions NO_SERVER = new ServerActions() {
        @Override
        public ReloadResult reload() {
            return new ReloadResult.Reloaded();
        }

        @Override
        public ServerParts parts() {
            return ServerParts.NONE;
        }
    };

    private static ReportLimit.Report nested(ReportLimit limit, int depth) {
        return depth == 0 ? () -> DONE : () -> limit.respond(nested(limit, depth - 1));
    }

    @Test
    void furtherReportIsRefusedWhileAsManyAreUnderWay() throws ApiProblem {
        ReportLimit limit = new ReportLimit(Duration.ZERO);
        assertThat(limit.respond(nested(limit, ReportLimit.AT_ONCE - 1))).isEqualTo(DONE);
        ApiProblem refused =
                catchThrowableOfType(ApiProblem.class, () -> limit.respond(nested(limit, ReportLimit.AT_ONCE)));
        assertThat(refused.code()).isEqualTo(ApiCode.RATE_LIMITED);
        assertThat(refused.detail()).contains("4 reports").contains("Nothing was done");
        assertThat(limit.respond(nested(limit, ReportLimit.AT_ONCE - 1))).isEqualTo(DONE);
    }

    @Test
    void furtherReportIsMadeWhenAnotherOneEndsMeanwhile() throws Exception {
        ReportLimit limit = new ReportLimit(Duration.ofMinutes(1));
        List<AdminReply.ManyObjects> open = new ArrayList<>();
        for (int i = 0; i < ReportLimit.AT_ONCE; i++) {
            open.add((AdminReply.ManyObjects) limit.respond(() -> new AdminReply.ManyObjects(out -> {})));
        }
        CompletableFuture<AdminReply> waiting = new CompletableFuture<>();
        Thread person = new Thread(() -> {
            try {
                waiting.complete(limit.respond(() -> DONE));
            } catch (ApiProblem e) {
                waiting.completeExceptionally(e);
            }
        });
        person.start();
        Await.until("it waits, or was refused", () -> !person.isAlive() || person.getState() == State.TIMED_WAITING);
        open.get(0).end().run();
        assertThat(waiting.get(1, TimeUnit.MINUTES)).isEqualTo(DONE);
        person.join();
    }

    @Test
    void exportCountsUntilItIsWritten() throws ApiProblem {
        ReportLimit limit = new ReportLimit(Duration.ZERO);
        List<AdminReply.ManyObjects> open = new ArrayList<>();
        for (int i = 0; i < ReportLimit.AT_ONCE; i++) {
            open.add((AdminReply.ManyObjects) limit.respond(() -> new AdminReply.ManyObjects(out -> {})));
        }
        assertThat(catchThrowableOfType(ApiProblem.class, () -> limit.respond(() -> DONE)))
                .isNotNull();
        open.get(0).end().run();
        open.get(0).end().run();
        assertThat(limit.respond(() -> DONE)).isEqualTo(DONE);
        open.add((AdminReply.ManyObjects) limit.respond(() -> new AdminReply.ManyObjects(out -> {})));
        assertThat(catchThrowableOfType(ApiProblem.class, () -> limit.respond(() -> DONE)))
                .isNotNull();
    }

    @Test
    void reportThatFailsLeavesItsPlace() throws ApiProblem {
        ReportLimit limit = new ReportLimit(Duration.ZERO);
        for (int i = 0; i <= ReportLimit.AT_ONCE; i++) {
            assertThat(catchThrowableOfType(
                            IllegalStateException.class,
                            () -> limit.respond(() -> {
                                throw new IllegalStateException("failed");
                            })))
                    .isNotNull();
        }
        assertThat(limit.respond(() -> DONE)).isEqualTo(DONE);
    }

    @Test
    void everyReadThatWalksThroughAllIsLimited() throws ApiProblem {
        try (AdminServer server = LedgerKind.SQLITE.start()) {
            AdminDispatcher dispatcher = new AdminDispatcher(AdminLedger.of(server.engine()), NO_SERVER);
            List<Object> exports = new ArrayList<>();
            Person person = new Person("vera", Role.VIEWER, null);
            for (int i = 0; i < ReportLimit.AT_ONCE; i++) {
                exports.add(dispatcher.respond(
                        dispatcher.find("GET", "/admin/audit/export"),
                        person,
                        new AdminCall.AdminInput(Map.of(), null, Stream.empty())));
            }
            for (String path : AdminReads.WHOLE) {
                ApiProblem refused =
                        catchThrowableOfType(ApiProblem.class, () -> dispatcher.ask(person, "GET", path, Map.of()));
                assertThat(refused.code()).as(path).isEqualTo(ApiCode.RATE_LIMITED);
            }
            assertThat(dispatcher.ask(person, "GET", "/admin/records", Map.of()))
                    .containsKey("records");
        }
    }
}
