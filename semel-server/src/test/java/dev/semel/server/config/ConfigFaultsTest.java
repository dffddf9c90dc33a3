package dev.semel.server.config;

import static dev.semel.server.config.SampleConfig.SMALL;
import static dev.semel.server.config.SampleConfig.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of fault is reported at its line and column, and says what to do. */
class ConfigFaultsTest {
    private static final String URL = "url: https://app.example/hooks";
    private static final String OTHER = "3a9c1e5b2d40687f";

    @TempDir
    private Path directory;

    /** A file, and its only fault. */
    record Wrong(String text, String fault) {
        @Override
        public String toString() {
            return fault;
        }
    }

    static Stream<Wrong> wrongFiles() {
        return Stream.of(
                        structure(),
                        listen(),
                        policies(),
                        sources(),
                        schemes(),
                        places(),
                        keys(),
                        destinations(),
                        deliveries(),
                        capacities(),
                        channels(),
                        routes(),
                        topics())
                .flatMap(each -> each);
    }

    private static Stream<Wrong> channels() {
        return Stream.of(
                wrong(
                        SMALL + "channels:\n  jobs: {policy: worker.jobb}\n",
                        "14:18: 'policy' of channel 'jobs' is 'worker.jobb': there is no policy of that name; did you mean 'worker.job'?"),
                wrong(
                        SMALL + "channels:\n  jobs: {order: lanes}\n",
                        "14:17: 'order' of channel 'jobs' is 'lanes': write lane or none"),
                wrong(
                        SMALL + "channels:\n  jobs: {interrupted: never}\n",
                        "14:23: 'interrupted' of channel 'jobs' is 'never': write repeat or park"),
                wrong(
                        SMALL + "channels:\n  source.stripe: {order: none}\n",
                        "14:3: 'source.stripe' is a channel of the server itself: names that begin with source., destination. or semel."
                                + " cannot be used by the API"),
                wrong(
                        SMALL + "channels:\n  Jobs: {order: none}\n",
                        "14:3: 'Jobs' cannot be the name of a channel: use 1 to 60 lower-case letters, digits, dots, hyphens and"
                                + " underscores"));
    }

    private static Wrong wrong(String text, String fault) {
        return new Wrong(text, fault);
    }

    private static Stream<Wrong> structure() {
        return Stream.of(
                wrong("", "1:1: the file is empty"),
                wrong("- a\n", "1:1: the file must be settings, as name: value"),
                wrong("a", "1:1: the file must be settings"),
                wrong(SMALL + "sorces: {}\n", "13:1: unknown setting 'sorces': did you mean 'sources'?"),
                wrong(
                        with("url:", URL, "polcy: default"),
                        "10:5: unknown setting 'polcy' of destination 'app': did you mean 'policy'?"),
                wrong(
                        with("url:", URL, "zzzzzzzz: 1"),
                        "10:5: unknown setting 'zzzzzzzz' of destination 'app': the known ones"),
                wrong(
                        with("url:", URL, "order: lane", "order: none"),
                        "11:5: 'order' is set twice in destination 'app': it is in line 10, too"),
                wrong(SMALL + "store: sqlite:b.db\n", "13:1: 'store' is set twice in the file: it is in line 1, too"),
                wrong(with("url:", URL, "order:"), "10:11: 'order' of destination 'app' has no value"),
                wrong(with("url:", URL, "order: ''"), "10:12: 'order' of destination 'app' has no value"),
                wrong(with("url:", URL, "order: [lane]"), "10:12: 'order' of destination 'app' must be one value"),
                wrong(with("url:", URL, "? [a]", ": b"), "10:7: a name in destination 'app' is empty or not a text"),
                wrong(
                        with("url:", URL, "<<: {order: none}"),
                        "10:5: merge keys (<<) are not supported in destination 'app'"),
                wrong(SMALL + "policies:\n", "13:10: 'policies' has no value"),
                wrong(SMALL.replace("store: sqlite:semel.db\n", ""), "1:1: 'store' is missing: write a URL"),
                wrong(
                        with("store:", "store: mysql:x"),
                        "1:8: 'store' is not the URL of a store: write sqlite:semel.db"),
                wrong(
                        with("store:", "store: postgresql://u:literal@h/d"),
                        "1:8: 'store' has a password that is written in the file: write ${env:NAME}"),
                wrong(
                        with("store:", "store: postgresql://u@h/d?password=literal"),
                        "1:8: 'store' has a password that is written in the file"),
                wrong(
                        with("store:", "store: postgresql://u:${env:SECRET}%@h/d"),
                        "1:8: 'store' is not a URL at position 37: percent-encode"),
                wrong(with("scheme:", "scheme: ${env:MISSING}"), "5:13: the environment variable MISSING is not set"),
                wrong(with("scheme:", "scheme: ${file:/no/such}"), "5:13: the file '/no/such' does not exist"),
                wrong(with("scheme:", "scheme: ${file:such}"), "5:13: the file 'such' is not absolute"),
                wrong(with("scheme:", "scheme: ${file:/}"), "5:13: the file '/' is not a regular file"),
                wrong(
                        with("scheme:", "scheme: ${vault:a}"),
                        "5:13: a value has a reference of an unknown kind: write ${env:NAME}"),
                wrong(with("scheme:", "scheme: ${env:SECRET"), "5:13: a value has a reference of an unknown kind"),
                wrong(
                        with("scheme:", "scheme: ${env:no-name}"),
                        "5:13: a reference does not name an environment variable"));
    }

    private static Stream<Wrong> listen() {
        return Stream.of(
                wrong(
                        SMALL + "listen: {port: 70000}\n",
                        "13:16: 'port' of 'listen' is '70000': not a whole number from 0 to 65535"),
                wrong(SMALL + "listen: {address: 'a b'}\n", "13:19: 'address' of 'listen' is 'a b': not an address"),
                wrong(
                        SMALL + "listen: {drain: soon}\n",
                        "13:17: 'drain' of 'listen' is 'soon': not a duration; write 250ms"),
                wrong(
                        SMALL + "listen: {drain: 11m}\n",
                        "13:17: 'drain' of 'listen' is '11m': out of range; write 0s to 10m"),
                wrong(
                        SMALL + "listen: {limits: {header-size: 16KB}}\n",
                        "13:32: 'header-size' of 'limits' of 'listen' is '16KB': not a size; write 512KiB"),
                wrong(
                        SMALL + "listen: {limits: {header-size: 1B}}\n",
                        "13:32: 'header-size' of 'limits' of 'listen' is '1B': out of range"),
                wrong(
                        SMALL + "listen: {limits: {connections: 0}}\n",
                        "13:32: 'connections' of 'limits' of 'listen' is '0': not a whole number from 1"),
                wrong(
                        SMALL + "listen: {tls: {certificate: /no/such, key: semel.yaml}}\n",
                        "13:29: 'certificate' of 'tls' of 'listen' is '/no/such': there is no such file"),
                wrong(
                        SMALL + "listen: {tls: {certificate: semel.yaml}}\n",
                        "13:15: 'key' of 'tls' of 'listen' is missing: write a file"));
    }

    private static Stream<Wrong> policies() {
        return Stream.of(
                wrong(
                        SMALL + "policies: {p: {extends: http.client, lease: long}}\n",
                        "13:45: 'lease' of policy 'p' is 'long': not a duration"),
                wrong(
                        SMALL + "policies: {p: {extends: http.clent}}\n",
                        "13:25: 'extends' of policy 'p' is 'http.clent': there is no policy of that name; perhaps http.client"),
                wrong(SMALL + "policies: {p: {lease: 1m}}\n", "13:12: policy 'p': there is no policy of that name"),
                wrong(SMALL + "policies: {p: {}}\n", "13:12: policy 'p' has no settings"),
                wrong(SMALL + "policies: {P: {extends: default}}\n", "13:12: 'P' cannot be the name of a policy"),
                wrong(
                        SMALL + "policies: {p: {extends: default, leas: 1m}}\n",
                        "13:34: unknown setting 'leas' of policy 'p': did you mean 'lease'?"),
                wrong(
                        SMALL + "policies: {http-client: {max-attempts: 3}}\n",
                        "13:12: policy 'http-client' differs from a shipped policy in dots and hyphens only"),
                wrong(
                        SMALL + "policies: {p.a: {extends: default}, p-a: {extends: default}}\n",
                        "13:1: policies p.a and p-a share the code RETRY_P_A"),
                wrong(
                        SMALL + "policies: {p: {extends: default, max-attempts: 0}}\n",
                        "13:12: policy 'p': max attempts is 0"),
                wrong(
                        SMALL + "policies: {p: {extends: default, redelivery: 3d}}\n",
                        "13:12: policy 'p': success retention PT24H is shorter than the redelivery window PT72H"),
                wrong(
                        SMALL + "policies: {p: {extends: default, lease: \"${env:BAD}\"}}\n",
                        "13:41: 'lease' of policy 'p' is '${env:BAD}': write a duration"),
                wrong(
                        SMALL + "policies: {p: {extends: default, max-attempts: \"0${env:NUMBER}\", lease: 0s}}\n",
                        "13:12: policy 'p': its settings are out of bounds, or contradict each other"));
    }

    private static Stream<Wrong> sources() {
        String path = "/in/" + SampleConfig.RANDOM;
        return Stream.of(
                wrong(
                        SMALL.replace("stripe:", "Stripe:").replace("from: stripe", "from: Stripe"),
                        "3:3: 'Stripe' cannot be the name of a source"),
                wrong(with("path:"), "4:5: 'path' of source 'stripe' is missing: write a path"),
                wrong(
                        with("path:", "path: in/" + OTHER),
                        "4:11: 'path' of source 'stripe' is 'in/" + OTHER + "': not a path"),
                wrong(
                        with("path:", "path: " + path + "/"),
                        "4:11: 'path' of source 'stripe' is '" + path + "/': not a path"),
                wrong(
                        with("path:", "path: " + path + "/*"),
                        "4:11: 'path' of source 'stripe' is '" + path + "/*': not a path"),
                wrong(with("path:", "path: " + path + "/../a"), "4:11: 'path' of source 'stripe' is"),
                wrong(
                        with("path:", "path: /admin" + path),
                        "4:11: 'path' of source 'stripe' is '/admin" + path
                                + "': /admin and what is below it belong to the server"),
                wrong(
                        with("path:", "path: /metrics", "guessable-path: true"),
                        "4:11: 'path' of source 'stripe' is '/metrics': /metrics and"),
                wrong(
                        with("path:", "path: /webhooks/stripe"),
                        "4:11: 'path' of source 'stripe' can be guessed: add a part of at least 16 random"),
                wrong(
                        with("path:", "path: /webhooks/stripe-payments-inbox-2024"),
                        "4:11: 'path' of source 'stripe' can be guessed"),
                wrong(
                        with("path:", "path: " + path, "guessable-path: yes"),
                        "5:21: 'guessable-path' of source 'stripe' is 'yes': write true or false"),
                wrong(
                        with(
                                "destinations:",
                                "  two: {path: " + path + ", scheme: slack, secrets: \"${env:SECRET}\"}",
                                "destinations:"),
                        "7:15: 'path' of source 'two' is taken by source 'stripe'"),
                wrong(
                        with(
                                "destinations:",
                                "  two: {path: /in, guessable-path: true, scheme: slack, secrets: \"${env:SECRET}\", lane: \"path:1\"}",
                                "destinations:"),
                        "7:15: 'path' of source 'two' is taken by source 'stripe'"));
    }

    private static Stream<Wrong> schemes() {
        return Stream.of(
                wrong(
                        with("scheme:", "scheme: strip"),
                        "5:13: 'scheme' of source 'stripe' is 'strip': write stripe, github"),
                wrong(with("secrets:"), "4:5: 'secrets' of source 'stripe' is missing: write one reference or a list"),
                wrong(with("secrets:", "secrets: []"), "6:14: 'secrets' of source 'stripe' is an empty list"),
                wrong(
                        with("secrets:", "secrets: literalHUNTERsecret"),
                        "6:14: 'secrets' of source 'stripe' is a secret and must not be written in the file: write ${env:NAME} or ${file:/path}"),
                wrong(with("secrets:", "secrets: half${env:SECRET}"), "6:14: 'secrets' of source 'stripe' is a secret"),
                wrong(
                        with("secrets:", "secrets: [\"${env:SECRET}\", literalHUNTERsecret]"),
                        "6:32: 'secrets' of source 'stripe' is a secret"),
                wrong(
                        with("secrets:", "secrets: ${env:NUMBER}"),
                        "6:5: 'secrets' of source 'stripe': secret 1 of 1 is too short or malformed"),
                wrong(
                        with("secrets:", "secrets: [" + "\"${env:SECRET}\",".repeat(9) + "]"),
                        "6:5: 'secrets' of source 'stripe': there are 9 secrets"),
                wrong(
                        with("scheme:", "scheme: stripe", "hmac: {header: X-Sig}"),
                        "6:11: 'hmac' of source 'stripe' is for scheme hmac only"),
                wrong(
                        with("scheme:", "scheme: hmac", "key: body-digest"),
                        "4:5: 'hmac' of source 'stripe' is missing: scheme hmac needs"),
                wrong(
                        with("scheme:", "scheme: hmac", "hmac: {header: X-Sig}"),
                        "4:5: 'key' of source 'stripe' is missing: scheme hmac has no key"),
                wrong(
                        with("scheme:", "scheme: hmac", "key: body-digest", "hmac: {header: 'X Sig'}"),
                        "7:20: 'header' of 'hmac' of source 'stripe' is 'X Sig': not the name of a header"),
                wrong(
                        with("scheme:", "scheme: hmac", "key: body-digest", "hmac: {header: X, encoding: hexa}"),
                        "7:33: 'encoding' of 'hmac' of source 'stripe' is 'hexa': write hex or base64"),
                wrong(
                        with("scheme:", "scheme: hmac", "key: body-digest", "hmac: {header: X, algorithm: md5}"),
                        "7:34: 'algorithm' of 'hmac' of source 'stripe' is 'md5': write sha256 or sha512"));
    }

    private static Stream<Wrong> places() {
        return Stream.of(
                wrong(
                        with("scheme:", "scheme: stripe", "lane: customer"),
                        "6:11: 'lane' of source 'stripe' is 'customer': not a field; write json:/pointer"),
                wrong(
                        with("scheme:", "scheme: stripe", "lane: path:17"),
                        "6:11: 'lane' of source 'stripe' is 'path:17': not a whole number from 1 to 16"),
                wrong(
                        with("scheme:", "scheme: stripe", "lane: header:X Id"),
                        "6:11: 'lane' of source 'stripe' is 'header:X Id': not the name of a header"),
                wrong(
                        with("scheme:", "scheme: stripe", "lane: form::/a"),
                        "6:11: 'lane' of source 'stripe' is 'form::/a': not a field of a form"),
                wrong(
                        with("scheme:", "scheme: stripe", "tenant: acme"),
                        "6:13: 'tenant' of source 'stripe' is 'acme': not a field; write json:/pointer, form:name, form:name:/pointer, header:Name or path:1, or fixed:acme"),
                wrong(
                        with("scheme:", "scheme: stripe", "tenant: 'fixed:'"),
                        "6:13: 'tenant' of source 'stripe' is 'fixed:': not the name of a tenant"),
                wrong(
                        with("scheme:", "scheme: stripe", "largest-body: 17MiB"),
                        "6:19: 'largest-body' of source 'stripe' is '17MiB': out of range; write 1B to 16MiB"),
                wrong(
                        with("scheme:", "scheme: stripe", "tolerance: 25h"),
                        "6:16: 'tolerance' of source 'stripe' is '25h': out of range"),
                wrong(
                        with("scheme:", "scheme: stripe", "headers: [Cookie]"),
                        "6:5: 'headers' of source 'stripe': the header \"cookie\" cannot be kept"),
                wrong(
                        with("scheme:", "scheme: stripe", "policy: webhok.inbox"),
                        "6:13: 'policy' of source 'stripe' is 'webhok.inbox': there is no policy of that name; did you mean 'webhook.inbox'?"),
                wrong(
                        with("scheme:", "scheme: stripe", "policy: default"),
                        "6:13: 'policy' of source 'stripe' is 'default', which remembers webhooks for 24h (retention-success), but stripe may send one again for 72h"),
                wrong(
                        with("scheme:", "scheme: stripe", "policy: p")
                                + "policies: {p: {extends: webhook.inbox, retention-dead-letters: 1h}}\n",
                        "6:13: 'policy' of source 'stripe' is 'p', which remembers webhooks for 1h (retention-dead-letters)"));
    }

    private static Stream<Wrong> keys() {
        return Stream.of(
                wrong(
                        with("scheme:", "scheme: stripe", "key: id"),
                        "6:10: 'key' of source 'stripe' is 'id': not a field"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: json:id"),
                        "6:10: 'key' of source 'stripe' is 'json:id': not a JSON pointer; write /data/object/id"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: [json:/a, json:/b]"),
                        "6:10: 'key' of source 'stripe' is a list: write all-of"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: {all-of: []}"),
                        "6:19: 'all-of' of 'key' of source 'stripe' is an empty list"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: {all-of: [json:/a, b]}"),
                        "6:29: 'all-of' of 'key' of source 'stripe' is 'b': not a field"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: {all-of: [json:/a], text: json:/b}"),
                        "6:10: 'key' of source 'stripe' must have one of all-of, first-of and text"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: {all-of: [json:/a], scope: json:/b}"),
                        "6:37: 'scope' of 'key' of source 'stripe' is for keys with text only"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: {first-of: [{first-of: [json:/a]}]}"),
                        "6:33: 'first-of' of 'key' of source 'stripe' is inside another first-of"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: {text: json:/t, within: 2m}"),
                        "6:10: 'scope' of 'key' of source 'stripe' is missing: it is required with text"),
                wrong(
                        with("scheme:", "scheme: stripe", "key: {text: json:/t, scope: json:/s, within: 0s}"),
                        "6:50: 'within' of 'key' of source 'stripe' is '0s': out of range"));
    }

    private static Stream<Wrong> destinations() {
        return Stream.of(
                wrong(
                        SMALL.replace("  app:", "  a b:").replace("to: app", "to: a b"),
                        "8:3: 'a b' cannot be the name of a destination"),
                wrong(with("url:", "order: lane"), "9:5: 'url' of destination 'app' is missing: write a URL"),
                wrong(with("url:", "url: ftp://a/b"), "9:10: 'url' of destination 'app' must begin with https://"),
                wrong(
                        with("url:", "url: https://user:literalHUNTER@a/b"),
                        "9:10: 'url' of destination 'app' has user info, which is not allowed"),
                wrong(with("url:", "url: https://a/b#c"), "9:10: 'url' of destination 'app' has a fragment (#)"),
                wrong(with("url:", "url: https:///b"), "9:10: 'url' of destination 'app' has no valid host and port"),
                wrong(
                        with("url:", "url: https://a/b c"),
                        "9:10: 'url' of destination 'app' is not a URL at position 11"),
                wrong(with("url:", "url: https://a_b/"), "9:10: 'url' of destination 'app' has no valid host and port"),
                wrong(with("url:", "url: https://a:0/"), "9:10: 'url' of destination 'app' has no valid host and port"),
                wrong(
                        with("url:", "url: https://a:70000/"),
                        "9:10: 'url' of destination 'app' has no valid host and port"),
                wrong(
                        with("url:", "url: https://a/ü"),
                        "9:10: 'url' of destination 'app' has characters outside ASCII"),
                wrong(
                        with("url:", "url: http://a/b"),
                        "9:10: 'url' of destination 'app' is plain HTTP: write https://, or allow: {http: true}"));
    }

    private static Stream<Wrong> deliveries() {
        return Stream.of(
                wrong(
                        with("url:", URL, "allow: {networks: [10.0.0.0]}"),
                        "10:24: 'networks' of 'allow' of destination 'app' is '10.0.0.0': not a network; write 10.1.0.0/16"),
                wrong(
                        with("url:", URL, "allow: {networks: [10.1.2.3/16]}"),
                        "10:24: 'networks' of 'allow' of destination 'app' is '10.1.2.3/16': its address has bits behind the prefix"),
                wrong(
                        with("url:", URL, "allow: {networks: [10.0.0.0/33]}"),
                        "10:24: 'networks' of 'allow' of destination 'app' is '10.0.0.0/33': its prefix is too long; at most /32"),
                wrong(
                        with("url:", URL, "policy: http.clent"),
                        "10:13: 'policy' of destination 'app' is 'http.clent': there is no policy of that name; did you mean 'http.client'?"),
                wrong(
                        with("url:", URL, "order: random"),
                        "10:12: 'order' of destination 'app' is 'random': write lane or none"),
                wrong(
                        with("url:", URL, "timeout: 16s"),
                        "10:14: 'timeout' of destination 'app' is longer than the attempt-timeout of policy 'http.client', 15s"),
                wrong(
                        with("url:", URL, "timeout: fast"),
                        "10:14: 'timeout' of destination 'app' is 'fast': not a duration"),
                wrong(
                        with("url:", URL, "disable-after: 1s"),
                        "10:20: 'disable-after' of destination 'app' is '1s': out of range; write 1m to 366d, or never"),
                wrong(
                        with("url:", URL, "headers: {Authorization: literalHUNTER}"),
                        "10:15: 'headers' of destination 'app', header 'Authorization', is a secret and must not be written in the file"),
                wrong(
                        with("url:", URL, "headers: {Host: a}"),
                        "10:15: 'headers' of destination 'app', header 'Host', is set by the server itself"),
                wrong(
                        with("url:", URL, "headers: {'X Y': a}"),
                        "10:15: 'headers' of destination 'app', header 'X Y', is not the name of a header"),
                wrong(
                        with("url:", URL, "headers: {X: a, x: b}"),
                        "10:21: 'headers' of destination 'app', header 'x', is set twice"),
                wrong(
                        with("url:", URL, "headers: {X: \"a\\nb\"}"),
                        "10:15: 'headers' of destination 'app', header 'X', has a value that cannot be sent"),
                wrong(
                        with("url:", URL, "signing: whsec_literalHUNTER"),
                        "10:14: 'signing' of destination 'app' is a secret and must not be written in the file"),
                wrong(
                        with("url:", URL, "signing: ${env:NUMBER}"),
                        "10:14: 'signing' of destination 'app' is too short or malformed"),
                wrong(
                        with("url:", URL, "signing: [" + "\"${env:BILLING_SIGNING_SECRET}\",".repeat(9) + "]"),
                        "10:14: 'signing' of destination 'app' has more than 8 secrets"));
    }

    private static Stream<Wrong> capacities() {
        return Stream.of(
                wrong(
                        with("url:", URL, "concurrency: many"),
                        "10:18: 'concurrency' of destination 'app' is 'many': not a whole number from 1 to 10000"),
                wrong(
                        with("url:", URL, "concurrency: 4", "per-tenant: 5"),
                        "11:17: 'per-tenant' of destination 'app' is '5': not a whole number from 1 to 4"),
                wrong(
                        with("url:", URL, "rate-limit: 50"),
                        "10:17: 'rate-limit' of destination 'app' is '50': not a rate; write 50/s, 1000/min"),
                wrong(
                        with("url:", URL, "rate-limit: 0/s"),
                        "10:17: 'rate-limit' of destination 'app' is '0/s': not a rate"),
                wrong(
                        with("url:", URL, "rate-limit: 9999999/s"),
                        "10:17: 'rate-limit' of destination 'app' is '9999999/s': out of range"),
                wrong(
                        with("url:", URL, "rate-limit: {burst: 1}"),
                        "10:17: 'limit' of 'rate-limit' of destination 'app' is missing"),
                wrong(
                        with("url:", URL, "rate-limit: {limit: 5/s, burst: 6}"),
                        "10:37: 'burst' of 'rate-limit' of destination 'app' is '6': not a whole number from 1 to 5"),
                wrong(
                        with("url:", URL, "breaker: often"),
                        "10:14: 'breaker' of destination 'app' is 'often': write usual, none or settings"),
                wrong(
                        with("url:", URL, "breaker: {failure-percent: 101}"),
                        "10:32: 'failure-percent' of 'breaker' of destination 'app' is '101'"));
    }

    private static Stream<Wrong> routes() {
        return Stream.of(
                wrong(
                        SMALL.replace("from: stripe", "from: strip"),
                        "11:11: 'from' of route 1 is 'strip': there is no source or topic of that name; did you mean 'stripe'?"),
                wrong(
                        with("to:", "to: ap"),
                        "12:9: 'to' of route 1 is 'ap': there is no destination of that name; did you mean 'app'?"),
                wrong(with("to:", "to: [app, app]"), "12:15: 'to' of route 1 names 'app' twice"),
                wrong(with("to:"), "11:5: 'to' of route 1 is missing"),
                wrong(
                        with("to:", "to: app", "when: {json: /a, exists: true}"),
                        "13:11: 'when' of route 1 must be a list"),
                wrong(
                        with("to:", "to: app", "when: [{json: a, exists: true}]"),
                        "13:19: 'json' of condition 1 of route 1 is 'a': not a JSON pointer"),
                wrong(
                        with("to:", "to: app", "when: [{json: /a}]"),
                        "13:12: condition 1 of route 1 must have one of equals, in, exists and prefix, and has none"),
                wrong(
                        with("to:", "to: app", "when: [{json: /a, equals: b, prefix: c}]"),
                        "13:12: condition 1 of route 1 must have one of equals, in, exists and prefix, and has equals and prefix"),
                wrong(
                        with("to:", "to: app", "when: [{json: /a, exists: maybe}]"),
                        "13:31: 'exists' of condition 1 of route 1 is 'maybe': write true or false"),
                wrong(
                        with("to:", "to: app", "when: [{json: /a, eqals: b, exists: true}]"),
                        "13:23: unknown setting 'eqals' of condition 1 of route 1: did you mean 'equals'?"),
                wrong(
                        with("to:", "to: app", "when: [{json: /a, in: []}]"),
                        "13:27: 'in' of condition 1 of route 1 is an empty list"));
    }

    private static Stream<Wrong> topics() {
        return Stream.of(
                wrong(
                        SMALL + "topics:\n  stripe: {}\n",
                        "14:3: topic 'stripe' has the name of the source in line 3, and routes could not tell them apart"),
                wrong(
                        SMALL + "topics:\n  source.orders: {}\n",
                        "14:3: topic 'source.orders' begins with 'source.', as channels of the server do"),
                wrong(
                        SMALL + "topics:\n  semel.replays: {}\n",
                        "14:3: topic 'semel.replays' begins with 'semel.', as channels of the server do"),
                wrong(SMALL + "topics:\n  Orders: {}\n", "14:3: 'Orders' cannot be the name of a topic"),
                wrong(SMALL + "topics:\n  orders:\n", "14:10: topic 'orders' has no value"),
                wrong(
                        SMALL + "topics:\n  orders: {polcy: default}\n",
                        "14:12: unknown setting 'polcy' of topic 'orders': did you mean 'policy'?"),
                wrong(
                        SMALL + "topics:\n  orders: {policy: defalt}\n",
                        "14:20: 'policy' of topic 'orders' is 'defalt': there is no policy of that name; did you mean 'default'?"),
                wrong(SMALL + "topics: [orders]\n", "13:9: 'topics' must be settings, as name: value"));
    }

    @ParameterizedTest
    @MethodSource("wrongFiles")
    void faultIsReportedAtItsPlace(Wrong wrong) {
        assertThat(SampleConfig.faults(directory, wrong.text))
                .singleElement()
                .asString()
                .startsWith(wrong.fault);
    }

    @Test
    void allFaultsAreReportedAtOnceInTheOrderOfTheFile() {
        ConfigFaults wrong = catchThrowableOfType(
                ConfigFaults.class,
                () -> SampleConfig.read(
                        directory,
                        SMALL.replace("sqlite:", "mysql:")
                                .replace("scheme: stripe", "scheme: strip")
                                .replace("https:", "http:")
                                .replace("to: app", "to: ap")));
        assertThat(wrong.findings()).extracting(ConfigFinding::line).containsExactly(1, 5, 9, 12);
        assertThat(wrong.faults()).hasSize(4);
        assertThat(wrong).hasMessageStartingWith("configuration " + directory.resolve("semel.yaml") + ": 1:8: 'store'");
        assertThat(wrong.findings().get(1).in("semel.yaml")).startsWith("semel.yaml:5:13: 'scheme'");
    }

    @Test
    void manyFaultsAreCut() {
        String text = "x%d: 1\n";
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 5_000; i++) {
            all.append(text.formatted(i));
        }
        assertThat(SampleConfig.faults(directory, all.toString())).hasSize(FindingList.MOST);
    }

    /** Without limits each of these faults would list, or compare, thousands of names. */
    @Test
    void faultsOfAFileWithVeryManyNamesStayShort() {
        StringBuilder all = new StringBuilder("store: sqlite:semel.db\ndestinations:\n");
        for (int i = 0; i < 5_000; i++) {
            all.append("  destination-%d: {url: https://a/}\n".formatted(i));
        }
        all.append("routes:\n");
        for (int i = 0; i < 5_000; i++) {
            all.append("  - {from: a, to: dest-%d}\n".formatted(i));
        }
        assertThat(SampleConfig.faults(directory, all.toString()))
                .hasSize(FindingList.MOST)
                .allSatisfy(fault -> assertThat(fault).hasSizeLessThan(200));
    }

    @Test
    void fileThatIsMissingOrADirectoryIsAFault() {
        ConfigFaults missing = catchThrowableOfType(
                ConfigFaults.class, () -> ConfigFile.read(directory.resolve("no.yaml"), SampleConfig.secrets()));
        assertThat(missing.faults())
                .containsExactly(
                        "1:1: the configuration cannot be read (there is no such file); semel init writes a new one");
        ConfigFaults folder =
                catchThrowableOfType(ConfigFaults.class, () -> ConfigFile.read(directory, SampleConfig.secrets()));
        assertThat(folder.faults()).singleElement().asString().contains("it is a directory");
    }
}
