package dev.semel.http.ingress;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Signed requests that are no events: a sender tries an endpoint, and is answered at once. They are never stored. A signature that
 * the sender gives out for something else is refused here, too.
 */
enum Handshake {
    NONE {
        @Override
        Optional<String> reply(ReceivedRequest request) {
            return Optional.empty();
        }
    },
    /**
     * {@code {"type": "url_verification", "challenge": "..."}}: the challenge is the answer. And {@code ssl_check=1}, by which Slack
     * checks the certificate of a slash command's URL from time to time.
     */
    SLACK {
        @Override
        boolean isUnsigned(ReceivedRequest request) {
            try {
                return request.form("ssl_check").equals(Optional.of("1"));
            } catch (Refused e) {
                return false;
            }
        }

        @Override
        Optional<String> reply(ReceivedRequest request) throws Refused {
            Optional<JsonNode> json = request.json();
            if (json.isEmpty()
                    || !"url_verification".equals(json.get().path("type").asString(""))) {
                return Optional.empty();
            }
            String challenge = json.get().path("challenge").asString("");
            if (challenge.isEmpty() || challenge.length() > LONGEST || !ReceivedRequest.isPrintable(challenge)) {
                throw Refused.event("the challenge of a URL verification is missing or not printable ASCII");
            }
            return Optional.of(challenge);
        }
    },
    /**
     * None; but Shopify signs the query of its redirects to an application with the same secret, and shows it to every browser. A webhook
     * is a JSON object, which such a query never is.
     */
    SHOPIFY {
        @Override
        Optional<String> reply(ReceivedRequest request) throws Refused {
            if (request.json().filter(JsonNode::isObject).isEmpty()) {
                throw Refused.event("the body is not a JSON object, as every webhook of Shopify is");
            }
            return Optional.empty();
        }
    },
    /** {@code X-GitHub-Event: ping}. The header is not signed, so the body must be that of a ping, too. */
    GITHUB {
        @Override
        Optional<String> reply(ReceivedRequest request) throws Refused {
            if (!request.header("X-GitHub-Event").equals(Optional.of("ping"))) {
                return Optional.empty();
            }
            Optional<JsonNode> json = request.json();
            if (json.isEmpty()) {
                json = request.jsonInForm("payload");
            }
            return json.filter(body -> body.has("zen") && body.has("hook_id")).map(body -> "");
        }
    };

    private static final int LONGEST = 255;

    /** Whether it needs no signature, because it is answered with 200 and nothing else: it is not stored and discloses nothing. */
    boolean isUnsigned(ReceivedRequest request) {
        return false;
    }

    /** The text to answer with; empty when it is an event. */
    abstract Optional<String> reply(ReceivedRequest request) throws Refused;
}
