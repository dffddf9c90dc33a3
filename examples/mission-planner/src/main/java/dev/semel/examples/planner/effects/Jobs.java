package dev.semel.examples.planner.effects;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Tenant;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The channels. Handlers that write to this database are atomic: their writes commit exactly once for each message. Handlers with
 * external effects are leased: they may be retried, under a key by which the receiver detects duplicates.
 */
@Configuration(proxyBeanMethods = false)
public class Jobs {
    static final String POLICY = "jobs";

    /** The mission has changed. */
    public record IndexMission(String mission, long version) {}

    /** Something in the project has changed. */
    public record RefreshDashboard(String project, String cause) {}

    /** A person is to be notified. */
    public record TellPerson(String person, String words) {}

    public static final Channel.Atomic<IndexMission> SEARCH =
            Channel.atomic("search.index-mission", IndexMission.class).withPolicy(POLICY);

    public static final Channel.Atomic<RefreshDashboard> DASHBOARD = Channel.atomic(
                    "dashboard.refresh", RefreshDashboard.class)
            .withPolicy(POLICY)
            .withLane(RefreshDashboard::project);

    public static final Channel.Leased<TellPerson> NOTIFICATIONS =
            Channel.leased("notifications.tell-person", TellPerson.class).withPolicy(POLICY);

    /** The same key for the same work, whoever requests it and however often. */
    public static Key key(Tenant organisation, Channel<?> channel, String resource) {
        int dot = channel.name().indexOf('.');
        String queue = channel.name().substring(0, dot);
        String type = channel.name().substring(dot + 1);
        return Key.of("job:" + organisation.name() + ":" + queue + ":" + type + ":" + resource);
    }

    @Bean
    Channel<IndexMission> searchChannel() {
        return SEARCH;
    }

    @Bean
    Channel<RefreshDashboard> dashboardChannel() {
        return DASHBOARD;
    }

    @Bean
    Channel<TellPerson> notificationChannel() {
        return NOTIFICATIONS;
    }
}
