package dev.semel.http.conformance;

import dev.semel.SemelException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What to ask, and as whom. Immutable; begins with {@link #at}, which is enough for a service without authentication.
 *
 * @param url answers a POST of the body with a success
 * @param body JSON, with {@link #MARK} where every request may have another text
 * @param callers as whom to ask
 * @param places where else to ask
 * @param limits what the service was configured with
 */
public record Target(URI url, String body, Callers callers, Places places, Limits limits) {
    /** Stands for a text that the suite chooses. */
    public static final String MARK = "{n}";

    /**
     * Headers by which somebody is known to the service. A row that needs somebody who is not given is not observed.
     *
     * @param caller who asks, as a rule; empty where everybody may
     * @param colleague another principal of the caller's tenant
     * @param stranger somebody of another tenant
     */
    public record Callers(
            Map<String, String> caller,
            @Nullable Map<String, String> colleague,
            @Nullable Map<String, String> stranger) {
        public Callers {
            caller = Map.copyOf(caller);
        }
    }

    /**
     * Further addresses of the service. A row that needs one which is not given is not observed.
     *
     * @param sibling on the same route with another value in its path
     * @param otherRoute on another route; it takes the same body
     * @param count answers a GET with a number, or an array as long as the number, of all effects so far
     */
    public record Places(
            @Nullable URI sibling,
            @Nullable URI otherRoute,
            @Nullable URI count) {
        public static final Places NONE = new Places(null, null, null);
    }

    /**
     * @param requestBytes the largest body that is taken
     * @param mismatch the status of a key that was used for another payload: 409, or 422 in the IETF profile
     * @param crowd how many ask at once where duplicates meet
     */
    public record Limits(long requestBytes, int mismatch, int crowd) {
        public static final Limits DEFAULT = new Limits(10L << 20, 409, 16);
    }

    public Target {
        List<String> faults = new ArrayList<>();
        if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme())) {
            faults.add("the URL " + url + " is neither http nor https");
        }
        if (!body.contains(MARK)) {
            faults.add("the body has no " + MARK + ", so that no two payloads differ: put it into a text");
        } else if (!Json.isObject(body.replace(MARK, "1"))) {
            faults.add("the body is not a JSON object");
        }
        if (limits.crowd < 2 || limits.crowd > 256) {
            faults.add("a crowd of " + limits.crowd + ": use 2 to 256");
        }
        if (limits.requestBytes < 1 || limits.requestBytes > 1L << 30) {
            faults.add("a largest request of " + limits.requestBytes + " bytes: use 1 byte to 1 GiB");
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("the conformance suite", faults);
        }
    }

    /** A service that knows nobody. */
    public static Target at(URI url, String body) {
        return new Target(url, body, new Callers(Map.of(), null, null), Places.NONE, Limits.DEFAULT);
    }

    public Target withCallers(Callers value) {
        return new Target(url, body, value, places, limits);
    }

    public Target withPlaces(Places value) {
        return new Target(url, body, callers, value, limits);
    }

    public Target withLimits(Limits value) {
        return new Target(url, body, callers, places, value);
    }
}
