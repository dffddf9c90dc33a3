package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.AdminServer.Reply;
import dev.semel.console.rest.Endpoint;
import dev.semel.console.rest.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What people read while they look: every endpoint that reads, with every parameter that it has. */
final class AdminReads {
    /** They walk through everything, because a person asked for everything. */
    static final Set<String> WHOLE = Set.of(
            "/admin/audit/export",
            "/admin/audit/verify",
            "/admin/audit/replay-decisions",
            "/admin/dead/preview",
            "/admin/shadow");

    /** A stream of events asks as {@code /audit/follow} and {@code /overview} do. */
    private static final Set<String> STREAMS = Set.of("/admin/audit/live", "/admin/overview/live");

    /** The ledger of these tests has neither destinations nor routes; tests of the server read them. */
    private static final Set<String> OF_THE_SERVER = Set.of(
            "/admin/destinations",
            "/admin/destinations/{destination}",
            "/admin/routes/fills/preview",
            "/admin/routes/fills/{job}");

    /** Of one job, which is started by an action. */
    private static final Set<String> JOBS = Set.of("/admin/dead/replays/{job}");

    private static final String HEX = FilledLedger.id(500);

    private AdminReads() {}

    /**
     * A request.
     *
     * @param token whose
     */
    record ReadRequest(String token, String path) {
        String endpoint() {
            return "/admin" + path.replaceFirst("[?].*", "").replaceFirst("/records/[0-9a-f]+", "/records/{record}");
        }

        Set<String> parameters() {
            Set<String> names = new TreeSet<>();
            if (path.contains("?")) {
                for (String each : path.substring(path.indexOf('?') + 1).split("&")) {
                    names.add(each.substring(0, each.indexOf('=')));
                }
            }
            return names;
        }

        boolean isPaged() {
            return AdminEndpoints.all().stream()
                    .filter(each -> each.method().equals("GET") && each.path().equals(endpoint()))
                    .flatMap(each -> each.input().query().stream())
                    .anyMatch(field -> field.name().equals("cursor"));
        }

        ReadRequest next(String cursor) {
            return new ReadRequest(token, path + (path.contains("?") ? "&" : "?") + "cursor=" + cursor);
        }
    }

    /** All of them, for somebody of all tenants, and those without a tenant for somebody of one. */
    static List<ReadRequest> all() {
        List<ReadRequest> all = new ArrayList<>();
        Stream.of(records(), dead(), others(), reports()).flatMap(List::stream).forEach(path -> {
            all.add(new ReadRequest(AdminServer.OPERATOR, path));
            if (!path.contains("tenant=") && !path.startsWith("/doctor") && !path.startsWith("/server")) {
                all.add(new ReadRequest(AdminServer.ACME_OPERATOR, path));
            }
        });
        return all;
    }

    private static List<String> records() {
        return List.of(
                "/records",
                "/records?limit=200",
                "/records?tenant=acme",
                "/records?tenant=tiny",
                "/records?tenant=nobody",
                "/records?operation=crm",
                "/records?operation=nothing",
                "/records?state=QUEUED",
                "/records?state=COMPLETED",
                "/records?state=UNKNOWN,FAILED_TERMINAL&tenant=tiny&operation=mail",
                "/records?category=network",
                "/records?category=mapping",
                "/records?category=unknown",
                "/records?min_attempts=3",
                "/records?min_attempts=99",
                "/records?overdue_for=1m",
                "/records?overdue_for=30d",
                "/records?lane=l-3",
                "/records?lane=none",
                "/records?lane=none&state=COMPLETED&tenant=tiny&category=auth&min_attempts=2",
                "/records?tenant=acme&correlation_id=c-2",
                "/records?tenant=acme&operation=mail&key=lost-1",
                "/records?id=" + HEX.substring(0, 12),
                "/records/" + HEX,
                "/records/" + HEX + "/explanation",
                "/records/" + HEX + "/story",
                "/records/" + HEX + "/tree",
                "/status?record=" + HEX,
                "/status?tenant=acme&operation=mail&key=lost-1",
                "/correlation?tenant=acme&correlation_id=c-2",
                "/shadow",
                "/shadow?tenant=tiny&operation=crm&differences=true&limit=10");
    }

    private static List<String> dead() {
        List<String> all = new ArrayList<>();
        for (String list : List.of("/dead", "/dead/groups")) {
            for (String filter : List.of(
                    "",
                    "?tenant=tiny",
                    "?operation=fax",
                    "?operation=nothing",
                    "?category=mapping",
                    "?category=auth",
                    "?exception=ConnectException",
                    "?exception=NoSuchException",
                    "?tenant=tiny&operation=crm&category=timeout&exception=java.net.SocketTimeoutException")) {
                all.add(list + filter);
            }
        }
        all.add("/dead?limit=200");
        return all;
    }

    private static List<String> others() {
        return List.of(
                "/channels",
                "/modes",
                "/overview",
                "/overview?window=day",
                "/overview?window=week&tenant=acme&operation=mail",
                "/overview?tenant=tiny",
                "/audit/events",
                "/audit/events?tenant=tiny&operation=fax&type=system.error",
                "/audit/events?type=operator.login",
                "/audit/events?operation=nothing",
                "/audit/events?record=" + HEX,
                "/audit/events?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z&limit=10",
                "/audit/follow",
                "/audit/follow?last=1000&tenant=tiny&operation=nothing&type=system.error",
                "/retries",
                "/retries?window=30d&tenant=tiny&operation=fax",
                "/retries?window=1h&operation=nothing",
                "/retries/rates?window=30d",
                "/retries/rates?window=30d&tenant=tiny&operation=fax&category=network",
                "/retries/advice?window=30d",
                "/retries/advice?window=30d&tenant=tiny&operation=fax",
                "/me",
                "/doctor",
                "/policies",
                "/server");
    }

    private static List<String> reports() {
        return List.of(
                "/dead/preview?tenant=tiny&operation=crm&category=timeout&exception=Exception&unknown=true",
                "/audit/export?tenant=tiny&operation=fax&type=system.error&since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z",
                "/audit/verify?anchor=1:" + "0".repeat(64),
                "/audit/replay-decisions?tenant=tiny&operation=fax&type=system.error&since=2020-01-01T00:00:00Z"
                        + "&until=2020-01-02T00:00:00Z");
    }

    /** A new endpoint, or a new parameter, needs a request here. */
    static void demandEveryEndpointAndParameter() {
        Set<String> driven = new TreeSet<>();
        all().forEach(request -> {
            driven.add(request.endpoint());
            request.parameters().forEach(name -> driven.add(request.endpoint() + "?" + name));
        });
        Set<String> wanted = new LinkedHashSet<>();
        for (Endpoint endpoint : AdminEndpoints.all()) {
            String path = endpoint.path();
            boolean isAsked = !STREAMS.contains(path) && !JOBS.contains(path) && !OF_THE_SERVER.contains(path);
            if (endpoint.method().equals("GET") && isAsked) {
                wanted.add(path);
                endpoint.input().query().stream()
                        .map(Field::name)
                        .filter(name -> !name.equals("cursor"))
                        .forEach(name -> wanted.add(path + "?" + name));
            }
        }
        assertThat(driven).containsAll(wanted);
    }

    /** Asks, and returns where the list continues; empty when it does not. */
    static String ask(AdminServer server, ReadRequest request) {
        Reply reply = server.get(request.token(), request.path());
        assertThat(reply.status()).as(request + " " + reply).isIn(200, 400, 403, 404);
        assertThat(reply.status() == 200 || isRefused(request))
                .as(request + " " + reply)
                .isTrue();
        return request.isPaged() && reply.status() == 200 ? reply.text("next") : "";
    }

    /** What somebody of one tenant may not ask, and records that are of another. */
    private static boolean isRefused(ReadRequest request) {
        return request.token().equals(AdminServer.ACME_OPERATOR)
                || request.path().contains("/status?record=");
    }
}
