package dev.semel.demo;

import dev.semel.time.TimeSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The shop, a process of its own: sends webhooks to each receiver, and says on its output what it asks for before it does, and what was
 * acknowledged as soon as it knows. Ends with its input.
 */
final class SenderMain {
    static final String ASKED = "asked";
    static final String ACKNOWLEDGED = "acknowledged";
    static final String UNANSWERED = "unanswered";
    static final String DONE = "done";
    static final String ADDRESS = "address";
    static final String FINISH = "finish";
    static final String HOLD = "hold";
    static final String GO = "go";

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration AFTER_A_FAILURE = Duration.ofMillis(150);
    private static final int OK = 200;

    private final String run;
    private final ShopSignature signature;
    private final SenderJournal journal;
    private final Duration pace;
    private final TimeSource time = TimeSource.system();
    private final TimeSource.Gate finish = time.gate();
    private final Map<String, URI> receivers = new ConcurrentHashMap<>();
    private final AtomicLong calls = new AtomicLong();
    private volatile boolean held;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private SenderMain(String run, ShopSignature signature, SenderJournal journal, Duration pace) {
        this.run = run;
        this.signature = signature;
        this.journal = journal;
        this.pace = pace;
    }

    /** Arguments: the run, the journal, the number of customers, the milliseconds between two webhooks of one, and the receivers. */
    public static void main(String[] args) throws Exception {
        try (SenderJournal journal = SenderJournal.open(Path.of(args[1]))) {
            SenderMain sender = new SenderMain(
                    args[0],
                    new ShopSignature(System.getenv(DemoConfig.SECRET)),
                    journal,
                    Duration.ofMillis(Long.parseLong(args[3])));
            ChildLines.onEach(sender::told);
            sender.send(Integer.parseInt(args[2]), List.of(args).subList(4, args.length));
        }
    }

    private void told(String[] words) {
        switch (words[0]) {
            case ADDRESS -> receivers.put(words[1], URI.create(words[2]));
            case HOLD -> held = true;
            case GO -> held = false;
            default -> finish.open();
        }
    }

    private void send(int customers, List<String> names) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (String receiver : names) {
            for (int customer = 1; customer <= customers; customer++) {
                Lane lane = new Lane(receiver, customer);
                Thread thread = new Thread(() -> send(lane), "demo-" + receiver + "-" + customer);
                threads.add(thread);
                thread.start();
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        ChildLines.say(DONE);
    }

    private record Lane(String receiver, int customer) {}

    /** Ends after the first acknowledgement that follows the request to finish. */
    private void send(Lane lane) {
        LaneTraffic traffic = new LaneTraffic(journal.kept(lane.receiver(), lane.customer()), new SplittableRandom());
        try {
            do {
                int number = traffic.next();
                ShopEvent event = new ShopEvent(run, lane.customer(), number);
                sendUntilAcknowledged(lane.receiver(), event, traffic.copies());
                if (traffic.keeps()) {
                    journal.keep(lane.receiver(), lane.customer(), number);
                }
                traffic.older().ifPresent(older -> post(lane.receiver(), new ShopEvent(run, lane.customer(), older)));
            } while (!isFinished());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the turn of the next webhook; whether there is none. */
    private boolean isFinished() throws InterruptedException {
        boolean finished = finish.await(pace);
        while (held && !finished) {
            finished = finish.await(pace);
        }
        return finished;
    }

    private void sendUntilAcknowledged(String receiver, ShopEvent event, int copies) throws InterruptedException {
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < copies; i++) {
            answers.add(post(receiver, event));
        }
        boolean acknowledged = false;
        for (CompletableFuture<Boolean> answer : answers) {
            acknowledged |= answer.join();
        }
        while (!acknowledged) {
            time.sleep(AFTER_A_FAILURE);
            acknowledged = post(receiver, event).join();
        }
    }

    /** Whether it was acknowledged; never fails. */
    private CompletableFuture<Boolean> post(String receiver, ShopEvent event) {
        URI address = receivers.get(receiver);
        if (address == null) {
            return CompletableFuture.completedFuture(false);
        }
        long call = calls.incrementAndGet();
        ChildLines.say(ASKED + " " + receiver + " " + call + " " + event.id());
        return client.sendAsync(request(address, event), HttpResponse.BodyHandlers.discarding())
                .handle((response, failure) -> {
                    boolean acknowledged = failure == null && response.statusCode() == OK;
                    ChildLines.say((acknowledged ? ACKNOWLEDGED : UNANSWERED) + " " + receiver + " " + call);
                    return acknowledged;
                });
    }

    private HttpRequest request(URI address, ShopEvent event) {
        long seconds = time.millis() / 1_000;
        return HttpRequest.newBuilder(address)
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .header("webhook-id", event.id())
                .header("webhook-timestamp", Long.toString(seconds))
                .header("webhook-signature", signature.of(event, seconds))
                .POST(HttpRequest.BodyPublishers.ofByteArray(event.body()))
                .build();
    }
}
