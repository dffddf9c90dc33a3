package dev.semel.server.gateway;

import dev.semel.Reconciler;
import dev.semel.server.config.GatewayConfig;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;

/**
 * Asks the API whether a request that is UNKNOWN took effect. A status of 2xx says that it did, 410 that it did not and never will. All
 * others, 404 among them, decide nothing: the API may still be about to run the request.
 */
final class UpstreamProbe implements Reconciler<byte[], byte[]> {
    private final GatewayConfig config;
    private final UpstreamClient client;
    private final String probe;

    UpstreamProbe(GatewayConfig config, UpstreamClient client, String probe) {
        this.config = config;
        this.client = client;
        this.probe = probe;
    }

    @Override
    public Verdict<byte[]> reconcile(byte[] payload, Case what) throws Exception {
        String base = config.upstream().url().getRawPath();
        String target = (base.endsWith("/") ? base.substring(0, base.length() - 1) : base)
                + probe.replace("{key}", what.downstreamKey());
        Request request = client.request("GET", target)
                .timeout(config.upstream().timeout().toMillis(), TimeUnit.MILLISECONDS);
        request.headers(all -> {
            config.upstream().headers().forEach(all::put);
            all.put("X-Correlation-ID", what.correlationId());
        });
        ContentResponse answer = request.send();
        int status = answer.getStatus();
        if (status >= 200 && status < 300) {
            return Verdict.tookEffect(null);
        }
        return status == 410
                ? Verdict.noEffect()
                : Verdict.stillUnknown("The probe of gateway " + config.name() + " answered HTTP " + status + ".");
    }
}
