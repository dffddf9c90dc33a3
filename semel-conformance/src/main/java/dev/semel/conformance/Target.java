package dev.semel.conformance;

import dev.semel.SemelException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The service under test and its callers. Immutable; {@link #at} is enough for a service without authentication.
 *
 * @param url accepts a POST of the body
 * @param body JSON, with {@link #MARK} in a text value that may differ in every request
 * @param callers the callers of the requests
 * @param places further URLs
 * @param limits the limits that the service is configured with
 */
public record Target(URI url, String body, Callers callers, Places places, ServiceLimits limits) {
    /** Stands for a text that the suite chooses. */
    public static final String MARK = "{n}";

    /**
     * Headers that authenticate a caller. A row that needs a missing caller is not observed.
     *
     * @param caller the usual caller; empty where the service has no authentication
     * @param colleague another principal of the caller's tenant
     * @param stranger a principal of another tenant
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
     * Further URLs of the service. A row that needs a missing URL is not observed.
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
     * @param crowd the number of concurrent duplicates
     */
    public record ServiceLimits(long requestBytes, int mismatch, int crowd) {
        public static final ServiceLimits DEFAULT = new ServiceLimits(10L << 20, 409, 16);
    }

    public Target {
        List<String> faults = new ArrayList<>();
        if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme())) {
            faults.add("the URL " + url + " is neither http nor https");
        }
        if (!body.contains(MARK)) {
            faults.add("the body does not contain " + MARK + ", so all payloads would be equal: put " + MARK
                    + " into a text value");
        } else if (!Json.isObject(body.replace(MARK, "1"))) {
            faults.add("the body is not a JSON object");
        }
        if (limits.crowd < 2 || limits.crowd > 256) {
            faults.add("a crowd of " + limits.crowd + " concurrent requests: use 2 to 256");
        }
        if (limits.requestBytes < 1 || limits.requestBytes > 1L << 30) {
            faults.add("a largest request of " + limits.requestBytes + " bytes: use 1 byte to 1 GiB");
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("the conformance suite", faults);
        }
    }

    /** A service without authentication. */
    public static Target at(URI url, String body) {
        return new Target(url, body, new Callers(Map.of(), null, null), Places.NONE, ServiceLimits.DEFAULT);
    }

    /** The headers of several callers, for the rows about scopes. */
    public Target withCallers(Callers value) {
        return new Target(url, body, value, places, limits);
    }

    /** Further URLs of the service, for the rows about routes and effects. */
    public Target withPlaces(Places value) {
        return new Target(url, body, callers, value, limits);
    }

    /** The limits that the service is configured with. */
    public Target withLimits(ServiceLimits value) {
        return new Target(url, body, callers, places, value);
    }
}
