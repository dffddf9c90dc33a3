package dev.semel.server.delivery;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.SemelException;
import dev.semel.audit.Redactor;
import dev.semel.policy.Classifier;
import dev.semel.server.config.DestinationConfig;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * Calls one destination and says what its answer, or the lack of one, amounts to.
 *
 * <table>
 *   <caption>Outcomes</caption>
 *   <tr><th>what happened</th><th>category</th><th>retried</th></tr>
 *   <tr><td>2xx, with a complete answer or more than 64 KiB of it</td><td>done</td><td></td></tr>
 *   <tr><td>408, 504, or nothing complete within the time-out</td><td>timeout</td><td>yes</td></tr>
 *   <tr><td>429</td><td>rate_limited</td><td>yes, not before Retry-After</td></tr>
 *   <tr><td>425, 5xx but 501 and 505</td><td>upstream_error</td><td>yes, 503 not before Retry-After</td></tr>
 *   <tr><td>no connection, TLS failed, an answer that broke off or is not HTTP</td><td>network</td><td>yes</td></tr>
 *   <tr><td>401, 403, 407</td><td>auth</td><td>the channel is paused</td></tr>
 *   <tr><td>404, 410</td><td>not_found</td><td>no</td></tr>
 *   <tr><td>3xx: redirects are not followed</td><td>validation</td><td>no</td></tr>
 *   <tr><td>other 4xx, 501, 505</td><td>as {@link Classifier#ofHttpStatus}</td><td>no</td></tr>
 *   <tr><td>the URL or an address is not allowed</td><td>disabled</td><td>no: a dead letter, to be replayed when the rules or the name are
 *       mended. It would fail in the same way again, and retries would only show an attacker which addresses exist</td></tr>
 * </table>
 */
final class DestinationCall {
    private final DestinationConfig config;
    private final DeliveryClient client;
    private final EgressRoute route;
    private final StandardSigner signer;

    /** @throws SemelException when a header, a secret or a network of the destination is not valid */
    DestinationCall(DestinationConfig config, DeliveryClient client) {
        this.config = config;
        this.client = client;
        RequestHeaders.demandConfigurable(config.name(), config.target().headers());
        this.route = EgressRoute.of(config);
        this.signer = new StandardSigner(config.name(), config.target().signing());
    }

    DestinationConfig config() {
        return config;
    }

    /**
     * Posts a webhook, signed.
     *
     * @param id the same in every attempt
     * @param headers of the webhook; those of the destination are added
     * @throws Failure.Thrown when there is no complete answer
     */
    HttpAnswer post(String id, HttpFields.Mutable headers, Instant now, byte[] body) throws InterruptedException {
        DestinationConfig.Target target = config.target();
        target.headers().forEach(headers::put);
        headers.put(RequestHeaders.KEY, id);
        signer.sign(headers, id, now, body);
        try {
            return client.post(route, target.url(), target.timeout(), headers, body);
        } catch (IOException | TimeoutException e) {
            throw new Failure.Thrown(noAnswer(e), e instanceof EgressRejected ? null : e);
        }
    }

    /** The failure that an answer amounts to; null when it is a success. */
    @Nullable
    Failure judge(HttpAnswer answer, Instant now) {
        int status = answer.status();
        if (answer.isSuccess()) {
            return null;
        }
        String name = "destination " + config.name();
        if (status < 200) {
            return Failure.of(Category.UPSTREAM_ERROR, name + " answered HTTP " + status + ", which ends no request.");
        }
        Failure known = Classifier.ofHttpStatus(status, answer.retryAfter(), now);
        String words = status < 400
                ? name + " answered HTTP " + status
                        + ": redirects are not followed. Configure the URL that it redirects to."
                : status == 410
                        ? name + " answered HTTP 410: it does not exist any more."
                        : name + " answered HTTP " + status + ".";
        Failure failure = Failure.of(known.category(), words);
        Duration retryAfter = known.retryAfter();
        return retryAfter == null ? failure : failure.withRetryAfter(retryAfter);
    }

    private Failure noAnswer(Exception e) {
        if (e instanceof EgressRejected) {
            return Failure.of(Category.DISABLED, String.valueOf(e.getMessage()));
        }
        String name = "destination " + config.name() + ": ";
        if (e instanceof TimeoutException || e instanceof SocketTimeoutException) {
            return Failure.of(
                    Category.TIMEOUT,
                    name + "timed out: there was no complete answer within "
                            + config.target().timeout().toMillis() + " ms.");
        }
        if (e instanceof UnknownHostException) {
            return Failure.of(Category.NETWORK, name + "the name of its host could not be resolved.");
        }
        if (e instanceof SSLException) {
            return Failure.of(Category.NETWORK, name + "TLS failed: " + Redactor.text(String.valueOf(e.getMessage())));
        }
        if (e.getCause() instanceof HttpResponseException) {
            return Failure.of(Category.NETWORK, name + "its answer is not valid HTTP, or broke off.");
        }
        return Failure.of(
                Category.NETWORK, name + "connection failed (" + e.getClass().getSimpleName() + ").");
    }
}
