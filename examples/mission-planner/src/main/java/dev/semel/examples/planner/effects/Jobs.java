package dev.semel.examples.planner.effects;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Tenant;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The channels. What a handler writes into this database is atomic: it is there exactly once for each message. What leaves the
 * building is leased: it may be tried again, under a key by which its receiver can tell.
 */
@Configuration(proxyBeanMethods = false)
public class Jobs {
    static final String POLICY = "jobs";

    /** The mission has changed. */
    public record IndexMission(String mission, long version) {}

    /** Something in the project has changed. */
    public record RefreshDashboard(String project, String cause) {}

    /** Somebody is to be told. */
    public record TellPerson(String person, String words) {}

    public static final Channel.Atomic<IndexMission> SEARCH =
            Channel.atomic("search.index-mission", IndexMission.class).withPolicy(POLICY);

    public static final Channel.Atomic<RefreshDashboard> DASHBOARD = Channel.atomic(
                    "dashboard.refresh", RefreshDashboard.class)
            .withPolicy(POLICY)
            .withLane(RefreshDashboard::project);

    public static final Channel.Leased<TellPerson> NOTIFICATIONS =
            Channel.leased("notifications.tell-person", TellPerson.class).withPolicy(POLICY);

    /** The same for the same piece of work, whoever asks for it and however often. */
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
