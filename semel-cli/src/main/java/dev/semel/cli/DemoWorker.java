package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * One process of the demo, which starts it and may kill it. Requests arrive on standard input, one per line, and answers leave on
 * standard output. It ends with its input, so that no process outlives the demo.
 */
@Command(name = DemoWorker.NAME, hidden = true)
final class DemoWorker implements Callable<Integer> {
    static final String NAME = "demo-worker";
    private static final int OPENING_TRIES = 10;
    private static final int ENDING_SECONDS = 5;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--run", required = true)
    private String run = "";

    @Option(names = "--callers", required = true)
    private int callers;

    @Option(names = "--without-semel")
    private boolean withoutSemel;

    @Override
    public Integer call() throws Exception {
        DemoTable table = new DemoTable(run);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.US_ASCII);
        serve(in, out, callers, bank -> patiently(() -> open(table, bank)));
        return Exit.OK.code();
    }

    private DemoShop open(DemoTable table, DemoShop.Bank bank) {
        return withoutSemel
                ? new DemoNaiveShop(Stores.open(store.url(), StoreProvider.Options.EXISTING), table, bank)
                : DemoSemelShop.open(store.url(), table, bank);
    }

    /** Long, because a process that opens the ledger waits behind the writes of the others. */
    private static DemoShop patiently(java.util.function.Supplier<DemoShop> opening) {
        for (int tries = 1; ; tries++) {
            try {
                return opening.get();
            } catch (SemelException.StoreUnavailable e) {
                if (tries == OPENING_TRIES) {
                    throw e;
                }
            }
        }
    }

    static void serve(BufferedReader in, PrintWriter out, int callers, Function<DemoShop.Bank, DemoShop> opening)
            throws IOException, InterruptedException {
        DemoConnection wire = new DemoConnection(out);
        ExecutorService threads = Executors.newFixedThreadPool(callers, work -> {
            Thread thread = new Thread(work, "demo-caller");
            thread.setDaemon(true);
            return thread;
        });
        try (DemoShop shop = opening.apply(wire)) {
            wire.say("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals("pay")) {
                    threads.execute(() -> pay(shop, wire, words[1], Integer.parseInt(words[2])));
                } else {
                    wire.transferred(Long.parseLong(words[1]));
                }
            }
            threads.shutdown();
            if (!threads.awaitTermination(ENDING_SECONDS, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        }
    }

    private static void pay(DemoShop shop, DemoConnection wire, String id, int number) {
        try {
            wire.say("answer " + id + " " + shop.pay(number));
        } catch (InterruptedException e) {
            // The demo has ended; the answer is not needed.
            Thread.currentThread().interrupt();
        }
    }

    /** The connection to the demo, which is also the bank. */
    private static final class DemoConnection implements DemoShop.Bank {
        private final PrintWriter out;
        private final AtomicLong ids = new AtomicLong();
        private final Map<Long, CompletableFuture<Boolean>> waiting = new ConcurrentHashMap<>();

        private DemoConnection(PrintWriter out) {
            this.out = out;
        }

        private void say(String line) {
            synchronized (out) {
                out.print(line + "\n");
                out.flush();
            }
        }

        @Override
        public void transfer(String key, int number, int attempt) throws InterruptedException {
            long id = ids.incrementAndGet();
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            waiting.put(id, done);
            say("transfer " + id + " " + key + " " + number + " " + attempt);
            try {
                done.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("Unexpected answer of the bank.", e);
            } finally {
                waiting.remove(id);
            }
        }

        private void transferred(long id) {
            CompletableFuture<Boolean> done = waiting.get(id);
            if (done != null) {
                done.complete(true);
            }
        }
    }
}
