package dev.semel.examples.planner.effects;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Keys;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The channels. Handlers that write to this database are atomic: their writes commit exactly once for each message. Handlers with
 * external effects are leased: they may be retried, under a key by which the receiver detects duplicates.
 */
@Configuration(proxyBeanMethods = false)
public class Jobs {
    static final String POLICY = "jobs";

    /**
     * The origin of a job, which its effect names. It is no part of a job's meaning: the same job requested by somebody else is a
     * duplicate, not a conflict.
     *
     * @param requestId absent for a request without ids, see {@code semel.http.enabled}
     */
    public record RequestedBy(String person, @Nullable String requestId) {}

    /** The mission has changed. */
    public record IndexMission(String mission, long version, RequestedBy by) {}

    /** Something in the project has changed. */
    public record RefreshDashboard(String project, String cause, RequestedBy by) {}

    /** A person is to be notified. */
    public record TellPerson(String person, String words, RequestedBy by) {}

    /** Everybody in the organisation is to be notified. */
    public record Announce(String words, RequestedBy by) {}

    /** The field of every job that does not count when two are compared. */
    private static final String ORIGIN = "by";

    public static final Channel.Atomic<IndexMission> SEARCH = Channel.atomic("search.index-mission", IndexMission.class)
            .withPolicy(POLICY)
            .withTransportFields(ORIGIN);

    public static final Channel.Atomic<RefreshDashboard> DASHBOARD = Channel.atomic(
                    "dashboard.refresh", RefreshDashboard.class)
            .withPolicy(POLICY)
            .withTransportFields(ORIGIN)
            .withLane(RefreshDashboard::project);

    public static final Channel.Leased<TellPerson> NOTIFICATIONS = Channel.leased(
                    "notifications.tell-person", TellPerson.class)
            .withPolicy(POLICY)
            .withTransportFields(ORIGIN);

    public static final Channel.Atomic<Announce> ANNOUNCEMENTS = Channel.atomic(
                    "notifications.announce", Announce.class)
            .withPolicy(POLICY)
            .withTransportFields(ORIGIN);

    // region keys
    /** Of a job about a resource: the same for the same work, whoever requests it and however often. */
    public static Key key(Tenant organisation, Channel<?> channel, String resource) {
        return Keys.job(organisation, queue(channel), type(channel), resource);
    }

    /** Of a job that is about no resource: its content is hashed, so that equal jobs are one. */
    public static Key hashKey(Tenant organisation, Channel<?> channel, String content) {
        return Keys.job(organisation, queue(channel), type(channel), content.getBytes(StandardCharsets.UTF_8));
    }
    // endregion

    private static String queue(Channel<?> channel) {
        return channel.name().substring(0, channel.name().indexOf('.'));
    }

    private static String type(Channel<?> channel) {
        return channel.name().substring(channel.name().indexOf('.') + 1);
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

    @Bean
    Channel<Announce> announcementChannel() {
        return ANNOUNCEMENTS;
    }
}
