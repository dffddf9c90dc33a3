package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.time.TimeSource;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a process of the demonstration does, in this one; payment 5 is a transfer, payment 1 is not. */
@Timeout(300)
class DemoWorkerTest {
    /** What a count answers that cannot get the lock; nobody holds it here. */
    private static final DemoScore.Effects LOCKED = new DemoScore.Effects(-1, -1, -1);

    @TempDir
    private Path directory;

    private final DemoTable table = new DemoTable("r");
    private final DemoTraffic traffic = new DemoTraffic(TimeSource.system(), new SplittableRandom(1));
    private String url;
    private Store store;

    @BeforeEach
    void open() {
        url = "sqlite:" + directory.resolve("ledger.db");
        store = Stores.open(url, StoreProvider.Options.DEFAULT);
        table.create(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void withSemelASecondProcessReplays() throws Exception {
        Function<DemoShop.Bank, DemoShop> opening = bank -> DemoSemelShop.open(url, table, bank);
        for (DemoAnswer expected : new DemoAnswer[] {DemoAnswer.EXECUTED, DemoAnswer.REPLAYED}) {
            try (Session session = new Session(opening)) {
                assertThat(session.pay(1)).isEqualTo(expected);
                assertThat(session.pay(5)).isEqualTo(expected);
            }
        }
        DemoScore.Effects effects = new DemoCounter(store, table, true).atTheEnd(traffic);
        assertThat(effects).isEqualTo(new DemoScore.Effects(2, 0, 0));
    }

    @Test
    void withoutSemelASecondProcessTransfersAgain() throws Exception {
        Function<DemoShop.Bank, DemoShop> opening =
                bank -> new DemoNaiveShop(Stores.open(url, StoreProvider.Options.EXISTING), table, bank);
        for (int i = 0; i < 2; i++) {
            try (Session session = new Session(opening)) {
                assertThat(session.pay(1)).isEqualTo(i == 0 ? DemoAnswer.EXECUTED : DemoAnswer.REPLAYED);
                assertThat(session.pay(5)).isEqualTo(DemoAnswer.EXECUTED);
                assertThat(session.pay(5)).isEqualTo(DemoAnswer.REPLAYED);
            }
        }
        DemoScore.Effects effects = new DemoCounter(store, table, false).atTheEnd(traffic);
        assertThat(effects).isEqualTo(new DemoScore.Effects(2, 1, 0));
        assertThat(effects.exactlyOnce()).isFalse();
    }

    @Test
    void paymentThatIsInTheTableTwiceIsDoubled() {
        for (int i = 0; i < 3; i++) {
            DemoTable.inTransaction(store, connection -> {
                table.insert(connection, DemoPayment.of(7));
                return true;
            });
        }
        assertThat(new DemoCounter(store, table, true).soFar(traffic, LOCKED))
                .isEqualTo(new DemoScore.Effects(1, 2, 0));
        table.clear(store);
        assertThat(new DemoCounter(store, table, true).soFar(traffic, LOCKED))
                .isEqualTo(new DemoScore.Effects(0, 0, 0));
    }

    @Test
    void acknowledgedPaymentThatIsMissingIsLost() {
        traffic.answered(1, DemoAnswer.EXECUTED);
        traffic.answered(5, DemoAnswer.REPLAYED);
        assertThat(new DemoCounter(store, table, false).atTheEnd(traffic).lost())
                .isEqualTo(2);
    }

    @Test
    void acknowledgedPaymentThatIsMissingInTheLedgerOnlyIsLostToo() {
        DemoTable.inTransaction(store, connection -> {
            table.insert(connection, DemoPayment.of(1));
            return true;
        });
        traffic.answered(1, DemoAnswer.EXECUTED);
        assertThat(new DemoCounter(store, table, true).soFar(traffic, LOCKED).lost())
                .isZero();
        assertThat(new DemoCounter(store, table, true).atTheEnd(traffic).lost()).isEqualTo(1);
    }

    /** The other end of the lines that a process reads and writes. */
    private final class Session implements AutoCloseable {
        private final PrintWriter in;
        private final BufferedReader out;
        private final CompletableFuture<Void> served;

        private Session(Function<DemoShop.Bank, DemoShop> opening) throws Exception {
            Pipe requests = Pipe.open();
            Pipe answers = Pipe.open();
            in = new PrintWriter(Channels.newWriter(requests.sink(), StandardCharsets.US_ASCII), true);
            out = new BufferedReader(Channels.newReader(answers.source(), StandardCharsets.US_ASCII));
            BufferedReader workerIn =
                    new BufferedReader(Channels.newReader(requests.source(), StandardCharsets.US_ASCII));
            PrintWriter workerOut = new PrintWriter(Channels.newWriter(answers.sink(), StandardCharsets.US_ASCII));
            served = CompletableFuture.runAsync(() -> {
                try {
                    DemoWorker.serve(workerIn, workerOut, 2, opening);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(out.readLine()).isEqualTo("ready");
        }

        private DemoAnswer pay(int number) throws Exception {
            in.println("pay 9 " + number);
            String[] words = out.readLine().split(" ");
            if (words[0].equals("transfer")) {
                traffic.transfer(words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]));
                in.println("transferred " + words[1]);
                words = out.readLine().split(" ");
            }
            assertThat(words).startsWith("answer", "9");
            return DemoAnswer.valueOf(words[2]);
        }

        @Override
        public void close() {
            in.close();
            served.join();
        }
    }
}
