package dev.semel.examples.planner.effects;

import dev.semel.Channel;
import dev.semel.Policy;
import dev.semel.http.RetryingClient;
import dev.semel.spring.ChannelCapacity;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Chooses the receiver of notifications. */
@Configuration(proxyBeanMethods = false)
class Mail {
    private static final int HALF = 50;

    /** Retries a transient failure once; longer outages are for the channel, whose retries are durable. */
    private static final Policy HICCUP = Policy.named("mail")
            .withMaxAttempts(2)
            .withExponentialBackoff(Duration.ofMillis(300), 2, Duration.ofSeconds(5))
            .withJitter(new Policy.Jitter.Full())
            .withMaxRetryAfter(Duration.ofSeconds(2))
            .build();

    @Bean
    Notifier notifier(
            Inbox inbox,
            @Value("${planner.mail.url:}") String url,
            @Value("${planner.mail.timeout}") Duration timeout) {
        if (url.isBlank()) {
            return inbox::put;
        }
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .build();
        return new MailService(
                URI.create(url), timeout, RetryingClient.of(client).withPolicy(HICCUP));
    }

    /** The circuit breaker: while it is open, messages wait and use no attempts. */
    @Bean
    ChannelCapacity notificationCapacity(
            @Value("${planner.mail.breaker-calls}") int calls, @Value("${planner.mail.breaker-pause}") Duration pause) {
        return new ChannelCapacity(
                Jobs.NOTIFICATIONS.name(),
                Channel.Capacity.DEFAULT.withBreaker(new Channel.Breaker(HALF, calls, pause)));
    }
}
