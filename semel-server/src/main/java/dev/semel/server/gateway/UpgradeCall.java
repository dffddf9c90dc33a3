package dev.semel.server.gateway;

import dev.semel.server.config.GatewayConfig;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.jetty.client.HttpUpgrader;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API for a WebSocket connection. If it answers 101, an {@link UpgradedConnection} takes over, and the thread is free. Any other
 * answer is passed back, and the caller's connection is closed behind it: bytes that the caller sent too early are no request.
 */
final class UpgradeCall {
    private static final String WEBSOCKET = "websocket";

    private final GatewayConfig config;
    private final HttpServletRequest request;
    private final HttpServletResponse response;

    /** @param connection null when the API answered otherwise */
    private record UpgradeAnswer(Response head, @Nullable UpgradedConnection connection) {}

    UpgradeCall(GatewayConfig config, HttpServletRequest request, HttpServletResponse response) {
        this.config = config;
        this.request = request;
        this.response = response;
    }

    /** Whether the request asks for a WebSocket connection, and the gateway passes that on. */
    static boolean isUpgrade(GatewayConfig config, HttpServletRequest request) {
        List<String> protocols = Collections.list(request.getHeaders("Upgrade"));
        return config.upstream().upgrades().pass()
                && request.getMethod().equals("GET")
                && request.getProtocol().equals("HTTP/1.1")
                && protocols.size() == 1
                && protocols.get(0).strip().equalsIgnoreCase(WEBSOCKET)
                && Collections.list(request.getHeaders("Connection")).stream()
                        .flatMap(value -> Stream.of(value.split(",")))
                        .anyMatch(name -> name.strip().toLowerCase(Locale.ROOT).equals("upgrade"));
    }

    void run(UpstreamClient client, String target, UpgradedConnections upgraded) throws IOException {
        if (!upgraded.reserve()) {
            response.setHeader("Retry-After", "1");
            GatewayProblem.BUSY.send(request, response);
            return;
        }
        boolean taken = false;
        try {
            taken = run(client, target, new UpstreamCall(config, request, new LastResponse(response)), upgraded);
        } finally {
            if (!taken) {
                upgraded.release();
            }
        }
    }

    private boolean run(UpstreamClient client, String target, UpstreamCall call, UpgradedConnections upgraded)
            throws IOException {
        ServletContextRequest core = ServletContextRequest.getServletContextRequest(request);
        EndPoint caller = core.getConnectionMetaData().getConnection().getEndPoint();
        CompletableFuture<UpgradeAnswer> answered = new CompletableFuture<>();
        Joining joining = new Joining(
                answered,
                api -> UpgradedConnection.from(
                        api, caller, client.executor(), config.upstream().idle()));
        Request sent = client.request("GET", target)
                .headers(all -> all.add(ForwardedHeaders.toApi(config, request))
                        .put(HttpHeader.CONNECTION, "Upgrade")
                        .put(HttpHeader.UPGRADE, WEBSOCKET))
                .onRequestBegin(call::begin)
                .attribute(HttpUpgrader.Factory.class.getName(), (HttpUpgrader.Factory) version -> joining);
        OtherAnswer other = new OtherAnswer(answered);
        sent.send(other);
        try (InputStream body = other.getInputStream()) {
            UpgradeAnswer answer = answered.get(config.upstream().timeout().toMillis(), TimeUnit.MILLISECONDS);
            if (answer.connection() != null) {
                join(answer.head(), answer.connection(), core, upgraded);
                return true;
            }
            call.pass(sent, answer.head(), body);
        } catch (InterruptedException e) {
            giveUp(answered);
            sent.abort(e);
            Thread.currentThread().interrupt();
            throw new IOException("The request to the API was interrupted.", e);
        } catch (ExecutionException | TimeoutException | IOException e) {
            giveUp(answered);
            call.failed(sent, e);
        }
        return false;
    }

    /** The API may accept at the moment at which the gateway stops waiting. */
    private static void giveUp(CompletableFuture<UpgradeAnswer> answered) {
        answered.cancel(false);
        if (!answered.isCompletedExceptionally() && answered.join().connection() != null) {
            answered.join().connection().close();
        }
    }

    private void join(
            Response head, UpgradedConnection connection, ServletContextRequest core, UpgradedConnections upgraded)
            throws IOException {
        upgraded.add(connection);
        ConnectionEnd end = connection.join();
        if (end == null) {
            GatewayProblem.NO_ANSWER.send(request, response);
            return;
        }
        // The caller's end takes over when the answer has been written; if that fails, nothing does.
        org.eclipse.jetty.server.Request.addCompletionListener(core, failure -> {
            if (failure != null) {
                connection.close();
            }
        });
        response.setStatus(HttpServletResponse.SC_SWITCHING_PROTOCOLS);
        ForwardedHeaders.toCaller(head.getHeaders(), response);
        response.setHeader("Connection", "Upgrade");
        response.setHeader("Upgrade", WEBSOCKET);
        core.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, end);
    }

    /** Behind it the connection is closed. */
    private static final class LastResponse extends HttpServletResponseWrapper {
        LastResponse(HttpServletResponse response) {
            super(response);
            setHeader("Connection", "close");
        }

        @Override
        public void reset() {
            super.reset();
            setHeader("Connection", "close");
        }
    }

    /** Takes over the connection on which the API has answered 101. */
    private record Joining(
            CompletableFuture<UpgradeAnswer> answered, Function<EndPoint, UpgradedConnection> connections)
            implements HttpUpgrader {
        @Override
        public void prepare(Request prepared) {
            // The headers are those of the caller.
        }

        @Override
        public void upgrade(Response head, EndPoint api, Callback callback) {
            if (!WEBSOCKET.equalsIgnoreCase(head.getHeaders().get(HttpHeader.UPGRADE))) {
                api.close();
                answered.completeExceptionally(new IOException("the API changed to another protocol than WebSocket"));
                callback.succeeded();
                return;
            }
            UpgradedConnection connection = connections.apply(api);
            if (!answered.complete(new UpgradeAnswer(head, connection))) {
                connection.close();
            }
            callback.succeeded();
        }
    }

    /** An answer that is no upgrade. */
    private static final class OtherAnswer extends InputStreamResponseListener {
        private final CompletableFuture<UpgradeAnswer> answered;

        OtherAnswer(CompletableFuture<UpgradeAnswer> answered) {
            this.answered = answered;
        }

        @Override
        public void onHeaders(Response head) {
            super.onHeaders(head);
            answered.complete(new UpgradeAnswer(head, null));
        }

        @Override
        public void onComplete(Result result) {
            super.onComplete(result);
            Throwable failure = result.getFailure();
            answered.completeExceptionally(failure == null ? new IOException("no answer") : failure);
        }
    }
}
