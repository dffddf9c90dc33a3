package dev.semel.server;

import dev.semel.server.api.ApiSettings;
import dev.semel.server.config.GatewayConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.listen.BodyRule;
import java.util.Locale;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * How much of a body is awaited before its endpoint is asked: all that the endpoint accepts, as far as it fits into memory. A request that
 * will be rejected whatever its body says is not awaited.
 */
final class EndpointBodies implements BodyRule {
    private static final int MOST_AWAITED = 1 << 20;
    private static final int USUAL = 64 << 10;
    private static final String API = "/api/v1/";
    private static final String SESSION = API + "session";
    private static final String ADMIN = API + "admin";
    private static final String LINES = "application/x-ndjson";

    private final Supplier<Generation> current;

    EndpointBodies(Supplier<Generation> current) {
        this.current = current;
    }

    @Override
    public AwaitedBody of(Request request) {
        Generation generation = current.get();
        OpenLedger ledger = generation.ledger();
        String path = request.getHttpURI().getPath();
        if (ledger == null || path == null) {
            return AwaitedBody.NOTHING;
        }
        for (SourceConfig source : generation.config().sources()) {
            if (path.equals(source.path()) || source.withParts() && path.startsWith(source.path() + "/")) {
                return AwaitedBody.whole(ledger.largestBody(source));
            }
        }
        for (GatewayConfig gateway : generation.config().gateways()) {
            if (path.equals(gateway.path()) || path.startsWith(gateway.path() + "/")) {
                return gateway.callers().open() == null && !isAuthenticated(request, ledger)
                        ? AwaitedBody.NOTHING
                        : new AwaitedBody(
                                Math.min(MOST_AWAITED, gateway.limits().requestBytes()),
                                gateway.limits().requestBytes());
            }
        }
        boolean forClients = path.startsWith(API) && !path.startsWith(SESSION) && !path.startsWith(ADMIN);
        return forClients ? api(request, ledger) : new AwaitedBody(USUAL, Long.MAX_VALUE);
    }

    private static AwaitedBody api(Request request, OpenLedger ledger) {
        if (!isAuthenticated(request, ledger)) {
            return AwaitedBody.NOTHING;
        }
        int largest = ApiSettings.DEFAULT.largestBody();
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        boolean lines = type != null && type.strip().toLowerCase(Locale.ROOT).startsWith(LINES);
        return lines ? new AwaitedBody(largest, Long.MAX_VALUE) : AwaitedBody.whole(largest);
    }

    private static boolean isAuthenticated(Request request, OpenLedger ledger) {
        return ledger.access().knows(request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION));
    }
}
