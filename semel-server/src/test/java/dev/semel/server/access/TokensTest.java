package dev.semel.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tokens, their scopes, and the limit for failed attempts. */
class TokensTest {
    private static final String SECRET = "s3cret-0123456789-abcdef";

    private static Token token(String name, String secret, String... scopes) {
        return new Token(
                name,
                secret,
                Tenant.of("acme"),
                List.of(scopes).stream().map(Scope::of).toList());
    }

    @Test
    void callerIsFoundByItsTokenAlone() {
        Tokens tokens = Tokens.of(List.of(token("a", SECRET, "run"), token("b", SECRET + "2", "send")));
        assertThat(tokens.find("Bearer " + SECRET)).extracting(Caller::name).isEqualTo("a");
        assertThat(tokens.find("bearer  " + SECRET + "2"))
                .extracting(Caller::name)
                .isEqualTo("b");
        for (String wrong : List.of("Bearer", "Bearer ", SECRET, "Bearer " + SECRET + "3", "Bearer " + SECRET + " x")) {
            assertThat(tokens.find(wrong)).as(wrong).isNull();
        }
        assertThat(tokens.find(null)).isNull();
    }

    @Test
    void secretsAreNeverShown() {
        Token token = token("a", SECRET, "run");
        assertThat(token.toString()).doesNotContain(SECRET);
        Tokens tokens = Tokens.of(List.of(token));
        assertThat(tokens.toString()).doesNotContain(SECRET).contains("a");
        assertThat(String.valueOf(tokens.find("Bearer " + SECRET))).doesNotContain(SECRET);
    }

    @Test
    void allFaultsAreNamedWithoutTheSecrets() {
        assertThatThrownBy(() -> Tokens.of(List.of(
                        token("a", "short", "run"),
                        token("a", "with spaces in it 0123456789", "run"),
                        token("b", SECRET),
                        token("c", SECRET, "run"))))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("token a: its secret has 5 characters")
                .hasMessageContaining("token a: another token has the same name")
                .hasMessageContaining("cannot be sent in a header")
                .hasMessageContaining("token b: it has no scope")
                .hasMessageContaining("token c: another token has the same secret")
                .message()
                .doesNotContain("short\"", "with spaces", SECRET);
    }

    @Test
    void scopeAllowsItsRightForItsNames() {
        assertThat(Scope.of("run").allows(Scope.Right.RUN, "anything")).isTrue();
        assertThat(Scope.of("run").allows(Scope.Right.SEND, "anything")).isFalse();
        Scope prefix = Scope.of("send:orders.*");
        assertThat(prefix.allows(Scope.Right.SEND, "orders.new")).isTrue();
        assertThat(prefix.allows(Scope.Right.SEND, "orders")).isFalse();
        assertThat(Scope.of("work:orders").allows(Scope.Right.WORK, "orders.new"))
                .isFalse();
        assertThat(prefix).hasToString("send:orders.*");
        for (String wrong : List.of("", "read", "run:", "send:*orders", "send:a*b")) {
            assertThatThrownBy(() -> Scope.of(wrong)).as(wrong).isInstanceOf(SemelException.Invalid.class);
        }
    }

    @Test
    void failedAttemptsAreCountedByAddressInAWindow() {
        ManualTime time = new ManualTime(0);
        FailedAttempts failures = new FailedAttempts(time);
        for (int i = 0; i < FailedAttempts.ALLOWED; i++) {
            assertThat(failures.count("192.0.2.1")).isNull();
        }
        assertThat(failures.count("192.0.2.1")).isEqualTo(FailedAttempts.WINDOW);
        time.advance(Duration.ofSeconds(50));
        assertThat(failures.count("192.0.2.1")).isEqualTo(Duration.ofSeconds(10));
        assertThat(failures.count("192.0.2.2")).isNull();
        time.advance(Duration.ofSeconds(10));
        assertThat(failures.count("192.0.2.1")).isNull();
    }

    @Test
    void addressesOfOneIpv6NetworkAreCountedTogether() {
        FailedAttempts failures = new FailedAttempts(new ManualTime(0));
        for (int i = 0; i < FailedAttempts.ALLOWED; i++) {
            assertThat(failures.count("2001:db8:1:2:0:0:0:" + i)).isNull();
        }
        assertThat(failures.count("2001:db8:1:2:ffff:0:0:1")).isNotNull();
        assertThat(failures.count("2001:db8:1:3:0:0:0:1")).isNull();
    }

    @Test
    void memoryForFailedAttemptsIsBounded() {
        FailedAttempts failures = new FailedAttempts(new ManualTime(0));
        for (int i = 0; i < FailedAttempts.MOST_ADDRESSES + 500; i++) {
            failures.count("10." + i / 65_536 + "." + i / 256 % 256 + "." + i % 256);
        }
        assertThat(failures.addresses()).isEqualTo(FailedAttempts.MOST_ADDRESSES);
    }
}
