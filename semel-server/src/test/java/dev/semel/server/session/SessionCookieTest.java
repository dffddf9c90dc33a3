package dev.semel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionCookieTest {
    @Test
    void cookiesOfThisServerAreLeftOutAndOthersStay() {
        assertThat(SessionCookie.without("a=1; semel-session=secret; b=2")).isEqualTo("a=1; b=2");
        assertThat(SessionCookie.without("__Host-semel-session=secret")).isEmpty();
        assertThat(SessionCookie.without("my-semel-session=1")).isEqualTo("my-semel-session=1");
    }

    @Test
    void headerThatSetsACookieOfThisServerIsRecognised() {
        assertThat(SessionCookie.isSetBy("__Host-semel-session=x; Path=/; Secure"))
                .isTrue();
        assertThat(SessionCookie.isSetBy(" semel-session =x")).isTrue();
        assertThat(SessionCookie.isSetBy("shop=semel-session")).isFalse();
    }
}
