package dev.semel.server.config;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** Configuration files to start from, one for each kind of sender, and one for a gateway. */
public enum ConfigTemplate {
    STANDARD_WEBHOOKS("standard-webhooks", "sender", """
            # lane: json:/data/customer          # deliver webhooks with the same text here in their order"""),
    STRIPE("stripe", "stripe", """
            lane: json:/data/object/customer     # events of one customer are delivered in their order"""),
    GITHUB("github", "github", """
            lane: json:/repository/full_name     # events of one repository are delivered in their order"""),
    SLACK("slack", "slack", """
            lane: json:/event/channel            # events of one channel are delivered in their order"""),
    SHOPIFY("shopify", "shopify", """
            lane: json:/id                       # changes of one object are delivered in their order"""),
    GATEWAY("gateway", "api", "");

    private static final int RANDOM_BYTES = 16;
    private static final Pattern VARIABLE = Pattern.compile("(?m)^[^#\\n]*\\$\\{env:(\\w+)}");
    private static final String HEAD = """
            # Configuration of the Semel server. To check this file: semel check FILE
            # Every setting is explained in docs/server-configuration.md.
            #
            # Secrets are not written here: ${env:NAME} is the value of an environment variable, ${file:/path} the
            # content of a file.

            # The ledger. For several nodes: postgresql://semel:${env:DB_PASSWORD}@host/semel
            store: sqlite:semel.db

            listen:
              address: 127.0.0.1                     # 0.0.0.0 for all addresses
              port: 8080
              # tls:                                 # or put a proxy with TLS in front of the server
              #   certificate: /etc/semel/tls.crt
              #   key: /etc/semel/tls.key

            """;

    private static final String TEXT = HEAD + """
            policies:
              delivery:                              # 12 attempts within about a day
                extends: http.client
                max-attempts: 12
                backoff: exp 10s x3 cap 6h
                retention: webhooks

            sources:
              @NAME@:
                # The sender calls https://YOUR-HOST and this path. Its last part is random: keep it private.
                path: /webhooks/@NAME@/@RANDOM@
                scheme: @SCHEME@
                secrets: ${env:@VARIABLE@_WEBHOOK_SECRET}
                @LANE@

            destinations:
              app:
                url: ${env:APP_WEBHOOK_URL}          # https://...
                policy: delivery
                # allow:                             # for an application in a private network
                #   http: true
                #   networks: [127.0.0.1/32]
                # signing: ${env:APP_SIGNING_SECRET} # whsec_..., to sign deliveries as Standard Webhooks

            routes:
              - from: @NAME@
                to: app
                # when:                              # without it every webhook is delivered
                #   - json: /type
                #     in: [first.kind, second.kind]
            """;

    private static final String GATEWAY_TEXT = HEAD + """
            gateways:
              api:
                path: /api-gateway                   # callers use https://YOUR-HOST/api-gateway/...
                upstream: ${env:API_URL}             # https://...
                # templates: ["/orders/{id}"]        # the same key on two routes is two keys
                # repeatable: true                   # if the API itself runs each Idempotency-Key once
                # headers:                           # credentials of the gateway, in place of the caller's
                #   Authorization: Bearer ${env:API_TOKEN}

            tokens:
              client:                                # sends Authorization: Bearer and this secret
                secret: ${env:CLIENT_TOKEN}
                tenant: main
                scopes: ["run:gateway.api"]
            """;

    private final String preset;
    private final String source;
    private final String lane;

    ConfigTemplate(String preset, String source, String lane) {
        this.preset = preset;
        this.source = source;
        this.lane = lane;
    }

    /** As the command line calls it. */
    public String preset() {
        return preset;
    }

    /** What the command line calls them. */
    public static List<String> presets() {
        return Arrays.stream(values()).map(ConfigTemplate::preset).toList();
    }

    /**
     * The text of a file, with comments.
     *
     * @param random for the part of the path that must not be guessed
     */
    public String text(RandomGenerator random) {
        if (this == GATEWAY) {
            return GATEWAY_TEXT;
        }
        return TEXT.replace("@LANE@", lane.strip())
                .replace("@NAME@", source)
                .replace("@SCHEME@", preset)
                .replace("@VARIABLE@", source.toUpperCase(Locale.ROOT))
                .replace("@RANDOM@", randomPart(random));
    }

    /** The environment variables that such a file needs. */
    public static List<String> variables(String text) {
        return VARIABLE.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static String randomPart(RandomGenerator random) {
        byte[] bytes = new byte[RANDOM_BYTES];
        String part;
        do {
            random.nextBytes(bytes);
            part = HexFormat.of().formatHex(bytes);
        } while (!SourcePaths.isHardToGuess("/" + part));
        return part;
    }
}
