package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that attack a server in a process of its own, with a heap of 256 MiB, while an honest sender goes on. */
@Timeout(180)
class HostileTrafficTest {
    /** More than the server has threads. */
    private static final int SLOW = 400;

    /** What a process may grow by under attack; what an attack would cost otherwise is many times that. */
    private static final long GROWTH = 160L << 20;

    @TempDir
    private Path directory;

    /** A million in the campaign. */
    private static final int BAD_SIGNATURES = Boolean.getBoolean("semel.campaign") ? 1_000_000 : 20_000;

    private final StripeSender stripe = new StripeSender();
    private final Receiver receiver = new Receiver();
    private final List<RawClient> clients = new ArrayList<>();
    private ServerProcess server;
    private int good;

    @BeforeEach
    void start() throws Exception {
        server = ServerProcess.start("sqlite:" + directory.resolve("ledger.db"), receiver.url());
        demandGoodTrafficFlows();
    }

    @AfterEach
    void end() {
        clients.forEach(RawClient::close);
        server.close();
        receiver.close();
    }

    private void demandGoodTrafficFlows() throws Exception {
        good++;
        HttpResponse<String> answer = stripe.send(server.uri(), StripeSender.body("good-" + good, "lane", good));
        assertThat(answer.statusCode()).isEqualTo(200);
        Await.until("it is delivered", () -> receiver.applied().contains("good-" + good));
    }

    private List<RawClient> slow(int number, Supplier<String> begins) throws IOException {
        List<RawClient> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            RawClient client = RawClient.from("127.0.0." + (2 + i % 4), server.uri());
            clients.add(client);
            all.add(client.send(begins.get()));
        }
        return all;
    }

    @Test
    void bodiesThatArriveSlowlyHoldNoThreadAndGoodWebhooksFlow() throws Exception {
        List<RawClient> all = slow(SLOW, () -> RawClient.head("Content-Length: 1000") + "{");
        demandGoodTrafficFlows();
        for (RawClient each : all) {
            each.send("\"");
        }
        demandGoodTrafficFlows();
        for (RawClient each : all) {
            each.send("x".repeat(998));
        }
        for (RawClient each : all) {
            assertThat(each.status()).as("they are still served").isEqualTo(401);
        }
    }

    @Test
    void slowBodiesThatAskForAContinueHoldNoThread() throws Exception {
        List<RawClient> all = slow(SLOW, () -> RawClient.head("Content-Length: 10", "Expect: 100-continue"));
        for (RawClient each : all) {
            assertThat(each.status()).isEqualTo(100);
        }
        demandGoodTrafficFlows();
        for (RawClient each : all) {
            assertThat(each.send("0123456789").status()).isEqualTo(401);
        }
    }

    @Test
    void headersThatArriveSlowlyHoldNoThread() throws Exception {
        slow(SLOW, () -> "POST " + TestConfig.PATH + " HTTP/1.1\r\nHost: h\r\nX-A");
        demandGoodTrafficFlows();
    }

    @Test
    void addressWithTooManyConnectionsIsRejectedAndOthersAreServed() throws Exception {
        int most = TestConfig.LIMITS.connectionsPerAddress();
        for (int i = 0; i < most; i++) {
            clients.add(RawClient.from("127.0.0.2", server.uri()));
        }
        RawClient last = clients.get(most - 1).send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
        assertThat(last.status()).isEqualTo(200);
        for (int i = 0; i < most; i++) {
            try (RawClient more = RawClient.from("127.0.0.2", server.uri())) {
                assertThat(more.isClosedByServer()).isTrue();
            }
        }
        demandGoodTrafficFlows();
        clients.remove(0).close();
        Await.until("its place is free", () -> {
            try (RawClient again = RawClient.from("127.0.0.2", server.uri())) {
                return again.send("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n").status() == 200;
            } catch (IOException closed) {
                return false;
            }
        });
    }

    @Test
    void webhookOfAGigabyteIsRejectedAndMemoryStaysFlat() throws Exception {
        long before = server.memory();
        try (RawClient declared = RawClient.to(server.uri())) {
            assertThat(declared.send(RawClient.head("Content-Length: 1073741824"))
                            .status())
                    .as("before it arrives")
                    .isEqualTo(413);
        }
        String chunk = "10000\r\n" + "x".repeat(65_536) + "\r\n";
        List<CompletableFuture<Integer>> endless = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            endless.add(CompletableFuture.supplyAsync(() -> sendForEver(chunk)));
        }
        for (CompletableFuture<Integer> each : endless) {
            assertThat(each.join()).isEqualTo(413);
        }
        demandGoodTrafficFlows();
        assertThat(server.memory() - before).isLessThan(GROWTH);
    }

    private int sendForEver(String chunk) {
        try (RawClient client = RawClient.to(server.uri())) {
            client.send(RawClient.head("Transfer-Encoding: chunked"));
            try {
                for (int i = 0; i < 16_384; i++) {
                    client.send(chunk);
                }
            } catch (IOException closed) {
                // The answer may be lost with the connection, but the body does not go on.
            }
            int status = client.status();
            return status == 0 ? 413 : status;
        } catch (IOException e) {
            return 413;
        }
    }

    @Test
    void largeBodiesThatStandStillAreBoundedInMemoryAndGoodWebhooksFlow() throws Exception {
        long before = server.memory();
        String most = "x".repeat((1 << 20) - 10);
        slow(300, () -> RawClient.head("Content-Length: 1048576") + most);
        demandGoodTrafficFlows();
        assertThat(server.memory() - before).as("not 300 MiB").isLessThan(GROWTH);
    }

    @Test
    void bodiesOfOneBytePiecesCostNoBufferForEachByte() throws Exception {
        long before = server.memory();
        List<RawClient> all = slow(100, () -> RawClient.head("Content-Length: 10000"));
        for (int i = 0; i < 200; i++) {
            for (RawClient each : all) {
                each.send("x");
            }
        }
        demandGoodTrafficFlows();
        assertThat(server.memory() - before).isLessThan(GROWTH);
    }

    @Test
    @Timeout(1_800)
    void manyBadSignaturesAreRejectedAndMemoryStaysFlat() throws Exception {
        int connections = 8;
        int each = BAD_SIGNATURES / connections;
        String bad = RawClient.head("Content-Length: 2", "Stripe-Signature: t=1,v1=00") + "{}";
        long before = server.memory();
        List<CompletableFuture<Integer>> senders = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            senders.add(CompletableFuture.supplyAsync(() -> rejected(bad, each)));
        }
        demandGoodTrafficFlows();
        int rejected = senders.stream().mapToInt(CompletableFuture::join).sum();
        assertThat(rejected).isEqualTo(connections * each);
        demandGoodTrafficFlows();
        assertThat(server.memory() - before).isLessThan(GROWTH);
    }

    private int rejected(String bad, int number) {
        int rejected = 0;
        try (RawClient client = RawClient.to(server.uri())) {
            for (int i = 0; i < number; i += 50) {
                client.send(bad.repeat(50));
                for (int j = 0; j < 50; j++) {
                    rejected += client.status() == 401 ? 1 : 0;
                }
            }
        } catch (IOException e) {
            return rejected;
        }
        return rejected;
    }

    @Test
    void ambiguousRequestsAreRejectedAndTheirConnectionsClosed() throws Exception {
        URI uri = server.uri();
        for (String request : List.of(
                RawClient.head("Content-Length: 4", "Transfer-Encoding: chunked") + "0\r\n\r\n",
                RawClient.head("Content-Length: 4", "Content-Length: 5") + "abcde",
                RawClient.head("Content-Length: +4") + "abcd",
                RawClient.head("Content-Length: 0x4") + "abcd",
                RawClient.head("Transfer-Encoding: chunked, identity") + "0\r\n\r\n",
                RawClient.head("Transfer-Encoding: xchunked") + "0\r\n\r\n",
                RawClient.head("Content-Length : 4") + "abcd",
                RawClient.head("Transfer-Encoding: chunked") + "zz\r\n",
                "POST " + TestConfig.PATH + " HTTP/1.1\r\n\r\n",
                "POST " + TestConfig.PATH + " HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "POST " + TestConfig.PATH + " HTTP/9.9\r\nHost: a\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n")) {
            try (RawClient client = RawClient.to(uri)) {
                client.send(request);
                assertThat(client.status()).as(request).isIn(400, 505, 501, 0);
                assertThat(client.isClosedByServer()).as(request).isTrue();
            }
        }
        try (RawClient client = RawClient.to(uri)) {
            assertThat(client.send(RawClient.head("X-Large: " + "x".repeat(9_000)))
                            .status())
                    .isEqualTo(431);
            assertThat(client.isClosedByServer()).isTrue();
        }
        demandGoodTrafficFlows();
    }

    @Test
    void pipelinedRequestsAreAnsweredInTheirOrderAndOldOrAbsoluteFormsAreServed() throws Exception {
        URI uri = server.uri();
        try (RawClient client = RawClient.to(uri)) {
            String live = "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n";
            client.send((live + RawClient.head("Content-Length: 2") + "{}" + "GET /none HTTP/1.1\r\nHost: h\r\n\r\n")
                    .repeat(20));
            for (int i = 0; i < 20; i++) {
                assertThat(List.of(client.status(), client.status(), client.status()))
                        .containsExactly(200, 401, 404);
            }
        }
        try (RawClient client = RawClient.to(uri)) {
            assertThat(client.send("GET /livez HTTP/1.0\r\n\r\n").status()).isEqualTo(200);
            assertThat(client.isClosedByServer()).isTrue();
        }
        try (RawClient client = RawClient.to(uri)) {
            assertThat(client.send("GET http://elsewhere.example/livez HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n")
                            .status())
                    .isEqualTo(200);
            assertThat(client.send("CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n")
                            .status())
                    .isBetween(400, 501);
        }
        demandGoodTrafficFlows();
    }
}
