package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.fault.FaultProxy.Loss;
import dev.semel.testkit.history.Rule;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A5, A6 and C1 on PostgreSQL: connections lost at every statement, and bad networks. */
@Timeout(600)
class LostConnectionTest {
    private static final int MOST_STATEMENTS = 40;

    @TempDir
    private Path directory;

    private final Place direct = Place.postgres();
    private FaultProxy proxy;
    private Node node;

    @BeforeEach
    void open() throws Exception {
        direct.prepare();
        proxy = FaultProxy.toPostgres(PrivatePostgres.shared().port());
        Place bounded = direct.withParameters("socketTimeout=2&connectTimeout=2&poolWaitMillis=2000&poolSize=2");
        node = new Node(bounded.through(proxy.port()), directory, "node");
        node.ask(Work.PAY, "first");
    }

    @AfterEach
    void close() throws Exception {
        proxy.heal();
        node.close();
        proxy.close();
    }

    @Test
    void a5_aCommitWhoseReplyIsLostIsAnsweredAsExecuted() throws Exception {
        proxy.atCommit(Loss.REPLY);
        assertThat(node.ask(Work.PAY, "k")).isInstanceOf(Answer.Executed.class);
        finishAndJudge(List.of(new Work.Item(Work.PAY, "k")));
    }

    @Test
    void a5_aCommitThatIsStillInFlightIsNeverDoubled() throws Exception {
        FaultProxy.Trap trap = proxy.atCommit(Loss.REQUEST_HELD);
        node.ask(Work.PAY, "k");
        trap.release();
        finishAndJudge(List.of(new Work.Item(Work.PAY, "k")));
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "REPLY"})
    void a6_aConnectionLostAtAnyStatementLeavesAllOrNothing(Loss loss) throws Exception {
        int reached = 0;
        for (int n = 1; n <= MOST_STATEMENTS; n++) {
            int at = n;
            AtomicInteger seen = new AtomicInteger();
            proxy.at(sql -> seen.incrementAndGet() == at, loss);
            node.ask(Work.PAY, "k" + n);
            if (seen.get() < at) {
                proxy.at(sql -> false, loss);
                break;
            }
            reached = n;
            node.askUntilFinal(new Work.Item(Work.PAY, "k" + n));
        }
        assertThat(reached).as("statements of an atomic call").isBetween(4, MOST_STATEMENTS - 1);
        finishAndJudge(List.of());
    }

    private enum Weather {
        REQUESTS_LOST(FaultProxy::dropRequests),
        REPLIES_LOST(FaultProxy::dropReplies),
        HALF_OPEN(FaultProxy::stall),
        RESET(FaultProxy::partition),
        ONE_BYTE_A_SECOND(FaultProxy::trickle);

        private final java.util.function.Consumer<FaultProxy> change;

        Weather(java.util.function.Consumer<FaultProxy> change) {
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource
    void c1_everyCallIsBoundedOnABadNetworkAndUnknownIsNotFailed(Weather weather) throws Exception {
        weather.change.accept(proxy);
        for (Work work : Work.values()) {
            CompletableFuture.runAsync(() -> node.ask(work, "k")).get(120, TimeUnit.SECONDS);
        }
        proxy.heal();
        finishAndJudge(
                List.of(new Work.Item(Work.PAY, "k"), new Work.Item(Work.NOTIFY, "k"), new Work.Item(Work.PRINT, "k")));
    }

    private void finishAndJudge(List<Work.Item> items) throws Exception {
        items.forEach(node::askUntilFinal);
        Judge.judge(direct, List.of(directory.resolve("node.history")))
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }
}
