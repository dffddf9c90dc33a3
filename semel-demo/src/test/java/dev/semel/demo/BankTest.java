package dev.semel.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.demo.BankFaults.Behaviour;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BankTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final DeliveryLog log = new DeliveryLog("test", TimeSource.system());
    private int draw;
    private final Bank bank = new Bank("run", Bank.Rules.usual(new RandomGenerator() {
        @Override
        public long nextLong() {
            return 0;
        }

        @Override
        public int nextInt(int bound) {
            return draw;
        }
    }));
    private final URI uri = bank.open("semel", log);

    @AfterEach
    void close() {
        bank.close();
    }

    @Test
    void oneKeyIsBookedOnce() throws Exception {
        HttpResponse<Void> first = post(1, "key", 1);
        HttpResponse<Void> second = post(1, "key", 2);
        assertThat(first.statusCode()).isEqualTo(204);
        assertThat(second.statusCode()).isEqualTo(204);
        assertThat(post(1, "key", 1).statusCode()).as("an older fence").isEqualTo(409);
        assertThat(log.tally().outcome().delivered()).isOne();
        assertThat(log.tally().outcome().doubled()).isZero();
        assertThat(log.tally().repetitions()).isEqualTo(new Tally.Repetitions(1, 1));
    }

    @Test
    void failuresBookNothingAndALostAnswerBooks() throws Exception {
        behave(Behaviour.ANSWERS_500);
        assertThat(post(1, "one", 1).statusCode()).isEqualTo(500);
        behave(Behaviour.ANSWERS_429);
        HttpResponse<Void> limited = post(1, "one", 2);
        assertThat(limited.statusCode()).isEqualTo(429);
        assertThat(limited.headers().firstValue("Retry-After")).hasValue("1");
        behave(Behaviour.CUTS);
        assertThatThrownBy(() -> post(1, "one", 3)).isInstanceOf(IOException.class);
        assertThat(log.tally().outcome().delivered()).isZero();
        behave(Behaviour.BOOKS_AND_CUTS);
        assertThatThrownBy(() -> post(1, "one", 4)).isInstanceOf(IOException.class);
        assertThat(log.tally().outcome().delivered()).isOne();
        behave(Behaviour.BOOKS_SLOWLY);
        assertThat(post(2, "two", 5).statusCode()).isEqualTo(204);
        assertThat(bank.behaviour())
                .containsEntry("answers_500", 1L)
                .containsEntry("answers_429", 1L)
                .containsEntry("cuts", 1L)
                .containsEntry("books_and_cuts", 1L)
                .containsEntry("books_slowly", 1L)
                .containsEntry("books", 0L);
    }

    @Test
    void calmBankFailsNoMore() throws Exception {
        behave(Behaviour.ANSWERS_500);
        bank.calmDown();
        assertThat(post(1, "one", 1).statusCode()).isEqualTo(204);
    }

    @Test
    void webhooksOfAnEarlierDemoAreAcceptedAndNotCounted() throws Exception {
        ShopEvent other = new ShopEvent("other", 1, 1);
        assertThat(post(other, "key", 1).statusCode()).isEqualTo(204);
        assertThat(log.tally().outcome().delivered()).isZero();
    }

    /** The draw that makes the bank behave so. */
    private void behave(Behaviour wanted) {
        Map<Behaviour, Integer> draws = Map.of(
                Behaviour.BOOKS_SLOWLY, 78,
                Behaviour.ANSWERS_500, 82,
                Behaviour.ANSWERS_429, 88,
                Behaviour.CUTS, 91,
                Behaviour.BOOKS_AND_CUTS, 95);
        draw = draws.get(wanted);
    }

    private HttpResponse<Void> post(int number, String key, long fence) throws Exception {
        return post(new ShopEvent("run", 1, number), key, fence);
    }

    private HttpResponse<Void> post(ShopEvent event, String key, long fence) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header(Bank.KEY, key)
                .header("Semel-Fence", Long.toString(fence))
                .header("Semel-Attempt", "1")
                .POST(HttpRequest.BodyPublishers.ofByteArray(event.body()))
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.discarding());
    }
}
