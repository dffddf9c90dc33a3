package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.DeliverySource;
import dev.semel.DeliverySource.Resend;
import dev.semel.DeliverySource.Schedule;
import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** docs/operations.md: the example of missing deliveries compiles, and registers what it says. {@code ResendSuite} has the behaviour. */
class MissingDeliveriesPageTest {
    private static final Logger LOG = LoggerFactory.getLogger(MissingDeliveriesPageTest.class);

    record Payment(String id) {}

    static final Channel.Leased<Payment> PAYMENTS = Channel.leased("payments", Payment.class);

    private static final class Provider implements DeliverySource {
        @Override
        public String name() {
            return "stripe";
        }

        @Override
        public Page between(Instant from, Instant until, @Nullable String cursor) {
            byte[] payload = "{\"id\":\"p-1\"}".getBytes(StandardCharsets.UTF_8);
            return new Page(List.of(new Delivery(Tenant.of("acme"), "payments", Key.of("p-1"), payload)), null);
        }
    }

    @Test
    void exampleRegistersTheSource(@TempDir Path directory) {
        try (Semel semel = Semel.open("sqlite:" + directory.resolve("ledger.db"))) {
            register(semel, new Provider());
            Assertions.assertThatThrownBy(() -> register(semel, new Provider()))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("stripe");
        }
        assertThat(Resend.upTo(500, PAYMENTS).asDryRun().dryRun()).isTrue();
    }

    private static void register(Semel semel, DeliverySource provider) {
        // region resend
        semel.checkDeliveries(
                provider,
                Schedule.every(Duration.ofHours(1)),
                Resend.upTo(500, PAYMENTS).asDryRun(), // counts only; without asDryRun() it sends
                (from, until, report) -> LOG.warn(
                        "{} of {} deliveries from {} to {} were missing; would send {}, cannot send {}",
                        report.missing(),
                        report.seen(),
                        from,
                        until,
                        report.resent().sent(),
                        report.resent().left()));
        // endregion
    }
}
