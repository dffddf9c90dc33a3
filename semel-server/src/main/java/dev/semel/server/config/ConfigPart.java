package dev.semel.server.config;

import java.util.List;

/** A part of the file: a mapping with a fixed set of settings. Policies are not here: theirs are those of {@code PolicySetting}. */
enum ConfigPart {
    FILE("", "The file"),
    LISTEN("listen", "`listen`"),
    TLS("listen.tls", "`listen.tls`"),
    LIMITS("listen.limits", "`listen.limits`"),
    SOURCE("sources.NAME", "`sources.NAME`"),
    HMAC("sources.NAME.hmac", "`sources.NAME.hmac`"),
    KEY("sources.NAME.key", "`sources.NAME.key`, where it is not one field"),
    TOPIC("topics.NAME", "`topics.NAME`"),
    DESTINATION("destinations.NAME", "`destinations.NAME`"),
    RATE_LIMIT("destinations.NAME.rate-limit", "`destinations.NAME.rate-limit`, where it is not one text"),
    BREAKER("destinations.NAME.breaker", "`destinations.NAME.breaker`"),
    ALLOW("destinations.NAME.allow", "`destinations.NAME.allow`"),
    ROUTE("routes[]", "`routes[]`"),
    CONDITION("routes[].when[]", "`routes[].when[]`"),
    TOKEN("tokens.NAME", "`tokens.NAME`"),
    USER("users.NAME", "`users.NAME`"),
    OIDC("oidc", "`oidc`"),
    OIDC_ROLE("oidc.roles.VALUE", "`oidc.roles.VALUE`"),
    SESSIONS("sessions", "`sessions`"),
    CHANNEL("channels.NAME", "`channels.NAME`"),
    GATEWAY("gateways.NAME", "`gateways.NAME`");

    private final String path;
    private final String title;

    ConfigPart(String path, String title) {
        this.path = path;
        this.title = title;
    }

    String path() {
        return path;
    }

    /** Its heading in the reference. */
    String title() {
        return title;
    }

    List<DeclaredSetting> settings() {
        return DeclaredSetting.all().stream()
                .filter(each -> each.part() == this)
                .toList();
    }

    /** In the order of the reference. */
    List<String> names() {
        return settings().stream().map(DeclaredSetting::key).toList();
    }
}
