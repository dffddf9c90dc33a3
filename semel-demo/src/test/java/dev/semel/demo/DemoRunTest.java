package dev.semel.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;

/** The demonstration with real processes that are really killed. */
@Timeout(300)
class DemoRunTest {
    @TempDir
    private Path directory;

    @Test
    void killsLostAnswersAndDuplicatesDeliverEachWebhookOnceAndTheHandwrittenReceiverDoublesSome() throws Exception {
        Score score = play(true, headers -> headers.getFirst(Bank.KEY));
        assertThat(score.violations()).isEmpty();
        assertThat(score.holds()).isTrue();
        assertThat(score.kills().workers()).isPositive();
        assertThat(score.semel().traffic().duplicates()).isPositive();
        assertThat(score.semel().outcome().delivered()).isPositive();
        assertThat(score.semel().repetitions().redelivered()).isPositive();
        assertThat(score.handwritten()).isNotNull();
        assertThat(score.handwritten().outcome().doubled()).isPositive();
    }

    @Test
    void bankThatGetsNoKeysBooksTwiceAndIsFound() throws Exception {
        Score score = play(false, headers -> null);
        assertThat(score.semel().outcome().doubled()).isPositive();
        assertThat(score.holds()).isFalse();
        assertThat(score.violations()).anyMatch(each -> each.startsWith("R2 "));
        assertThat(score.handwritten()).isNull();
    }

    /** Every other answer of the bank is lost, so that repetitions do not depend on chance. */
    private Score play(boolean handwritten, Function<Headers, @Nullable String> keys) throws Exception {
        String store = "sqlite:" + directory.resolve("ledger.db");
        Stores.open(store, StoreProvider.Options.DEFAULT).close();
        Random halfLost = new Random() {
            @Override
            public int nextInt(int bound) {
                return nextBoolean() ? 0 : bound - 1;
            }
        };
        DemoRun.Plan plan =
                new DemoRun.Plan("run", store, 2, Duration.ZERO, handwritten, new Bank.Rules(halfLost, keys));
        DemoScreen screen = new DemoScreen(new PrintWriter(Writer.nullWriter()), Ansi.OFF, DemoScreen.Form.NOTHING, "");
        return new DemoRun(plan, directory, screen, new SplittableRandom()).play();
    }
}
