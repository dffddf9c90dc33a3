package dev.semel.server.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSAEncrypter;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.EncryptedJWT;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.semel.Tenant;
import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.server.oidc.IdentityProvider.Verification;
import dev.semel.server.oidc.IdentityProvider.Verification.Refused;
import dev.semel.server.oidc.IdentityProvider.Verification.Verified;
import dev.semel.time.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tokens of a real identity provider: which are accepted, as whom, and which are not. */
@Timeout(120)
class IdentityProviderTest {
    private static final String SIGNATURE = "the signature, key or algorithm of the token is not accepted";

    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final TestProvider provider = new TestProvider();
    private final IdentityProvider verifier = IdentityProvider.open(provider.settings(), time);

    @AfterEach
    void close() {
        provider.close();
    }

    private void assertRefused(String token, String reason) {
        assertThat(verifier.verify(token)).isEqualTo(new Refused(reason));
    }

    private String with(JWTClaimsSet.Builder claims) {
        return TestProvider.signed(claims.build(), provider.key());
    }

    private Person person(String token) {
        assertThat(verifier.verify(token)).isInstanceOf(Verified.class);
        return ((Verified) verifier.verify(token)).person();
    }

    @Test
    void claimsBecomeNameRoleAndTenantAndTheFirstGrantIsUsed() {
        assertThat(person(provider.token(time, "ops", "unknown")))
                .isEqualTo(new Person("alice@example.com", Role.OPERATOR, Tenant.of("acme"), "alice@example.com"));
        assertThat(person(provider.token(time, "acme-viewers", "admins")))
                .isEqualTo(new Person("alice@example.com", Role.ADMIN, null, "alice@example.com"));
        assertThat(person(with(provider.claims(time, "acme-viewers").claim("org", "globex"))))
                .isEqualTo(new Person("alice@example.com", Role.VIEWER, Tenant.of("acme"), "alice@example.com"));
        Verified verified = (Verified) verifier.verify(provider.token(time, "ops"));
        assertThat(verified.expires()).isEqualTo(Instant.ofEpochMilli(time.millis() + 300_000));
    }

    @Test
    void accessTokenTypeAndWordsInOneTextAreAccepted() {
        JWTClaimsSet claims = provider.claims(time)
                .claim("realm_access", Map.of("roles", "openid ops"))
                .build();
        String token = TestProvider.signed(claims, provider.key(), header -> header.type(new JOSEObjectType("at+jwt")));
        assertThat(person(token).role()).isEqualTo(Role.OPERATOR);
        assertThat(person(TestProvider.signed(claims, provider.key(), header -> header.type(null)))
                        .role())
                .isEqualTo(Role.OPERATOR);
        assertRefused(
                TestProvider.signed(claims, provider.key(), header -> header.type(new JOSEObjectType("logout+jwt"))),
                SIGNATURE);
    }

    @Test
    void personWithoutRoleTenantOrUsableNameIsRefused() {
        assertRefused(provider.token(time), "no value of the claim /realm_access/roles has a role here");
        assertRefused(
                provider.token(time, "Ops", "admin"), "no value of the claim /realm_access/roles has a role here");
        assertRefused(
                with(provider.claims(time, "ops").claim("org", null)), "the token has no tenant in the claim org");
        assertRefused(
                with(provider.claims(time, "ops").claim("org", List.of("acme"))),
                "the token has no tenant in the claim org");
        assertRefused(
                with(provider.claims(time, "ops").claim("org", "a\u0000b")),
                "the token has no usable tenant in the claim org");
        for (String name : new String[] {"", " x", "a\nb", "\u202eevil", "<script>", "x".repeat(201), null}) {
            assertRefused(
                    with(provider.claims(time, "ops").subject(name)), "the token has no usable name in the claim sub");
        }
    }

    @Test
    void tokenOfAnotherIssuerOrAudienceIsRefused() {
        assertRefused(
                with(provider.claims(time, "admins").issuer(provider.issuer() + "/")),
                "the token is of another issuer");
        assertRefused(with(provider.claims(time, "admins").issuer(null)), "the token is of another issuer");
        assertRefused(with(provider.claims(time, "admins").audience("other")), "the token is for another audience");
        assertRefused(with(provider.claims(time, "admins").audience(List.of())), "the token is for another audience");
        assertThat(verifier.verify(with(provider.claims(time, "admins").audience(List.of("other", "semel")))))
                .isInstanceOf(Verified.class);
    }

    @Test
    void timesAreCheckedByTheInjectedClockWithItsTolerance() {
        Date now = new Date(time.millis());
        String token = with(provider.claims(time, "ops").expirationTime(now));
        assertThat(verifier.verify(token)).isInstanceOf(Verified.class);
        time.jump(Duration.ofMillis(59_999));
        assertThat(verifier.verify(token))
                .as("a millisecond within the tolerance")
                .isInstanceOf(Verified.class);
        time.jump(Duration.ofMillis(1));
        assertRefused(token, "the token has expired");
        assertRefused(with(provider.claims(time, "ops").expirationTime(null)), "the token has no expiration time");

        String later = with(provider.claims(time, "ops").notBeforeTime(new Date(time.millis() + 60_000)));
        assertRefused(later, "the token is not valid yet");
        time.jump(Duration.ofSeconds(1));
        assertThat(verifier.verify(later)).isInstanceOf(Verified.class);
    }

    @Test
    void unsignedTokenIsRefused() {
        JWTClaimsSet claims = provider.claims(time, "admins").build();
        assertRefused(new PlainJWT(claims).serialize(), "the token is not a signed JWT");
        String[] parts = provider.token(time, "admins").split("\\.");
        String none = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("{\"alg\":\"none\",\"kid\":\"key-1\"}".getBytes(StandardCharsets.UTF_8));
        assertRefused(none + "." + parts[1] + ".", "the token is not a signed JWT");
        assertRefused(none + "." + parts[1] + "." + parts[2], "the token is not a signed JWT");
        assertRefused(parts[0] + "." + parts[1] + ".", "the token is not a signed JWT");
    }

    @Test
    void tokenSignedWithThePublicKeyAsASharedSecretIsRefused() throws Exception {
        for (byte[] secret : List.of(
                provider.key().toPublicKey().getEncoded(),
                provider.key().toPublicJWK().toJSONString().getBytes(StandardCharsets.UTF_8))) {
            SignedJWT token = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("key-1").build(),
                    provider.claims(time, "admins").build());
            token.sign(new MACSigner(secret));
            assertRefused(token.serialize(), SIGNATURE);
        }
    }

    @Test
    void algorithmThatIsNotAllowedIsRefusedAlthoughTheKeyIsRight() {
        assertRefused(
                TestProvider.signed(
                        provider.claims(time, "admins").build(),
                        provider.key(),
                        header -> new JWSHeader.Builder(JWSAlgorithm.RS512).keyID("key-1")),
                SIGNATURE);
    }

    @Test
    void keyThatTheTokenBringsAlongIsNotUsed() {
        RSAKey own = provider.nextKey();
        assertRefused(
                TestProvider.signed(
                        provider.claims(time, "admins").build(),
                        own,
                        header -> header.jwk(own.toPublicJWK()).keyID("key-1")),
                SIGNATURE);
        assertRefused(
                TestProvider.signed(
                        provider.claims(time, "admins").build(),
                        own,
                        header -> header.jwkURL(java.net.URI.create(provider.issuer() + "/evil"))
                                .keyID("key-1")),
                SIGNATURE);
    }

    @Test
    void changedTokenAndUnknownCriticalHeaderAreRefused() {
        String[] parts = provider.token(time, "ops").split("\\.");
        String[] other = provider.token(time, "admins").split("\\.");
        assertRefused(parts[0] + "." + other[1] + "." + parts[2], SIGNATURE);
        assertRefused(
                TestProvider.signed(
                        provider.claims(time, "admins").build(),
                        provider.key(),
                        header ->
                                header.criticalParams(java.util.Set.of("exp2")).customParam("exp2", 1)),
                SIGNATURE);
    }

    @Test
    void encryptedTokenIsRefused() throws Exception {
        EncryptedJWT token = new EncryptedJWT(
                new JWEHeader(JWEAlgorithm.RSA_OAEP_256, EncryptionMethod.A128GCM),
                provider.claims(time, "admins").build());
        token.encrypt(new RSAEncrypter(provider.key().toRSAPublicKey()));
        assertRefused(token.serialize(), "the token is not a signed JWT");
    }

    @Test
    void longTokenIsNotRead() {
        assertRefused(
                with(provider.claims(time, "ops").claim("padding", "x".repeat(9_000))),
                "the token is longer than 8192 characters");
    }

    @Test
    void hostileTextsAreRefusedWithoutAnError() {
        String valid = provider.token(time, "ops");
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder(valid);
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                text.setCharAt(random.nextInt(text.length()), "aA0._-=~/+".charAt(random.nextInt(10)));
            }
            // The last characters of a signature in base64url have bits that do not count.
            boolean sameContent = text.toString().startsWith(valid.substring(0, valid.lastIndexOf('.') + 1));
            Verification result = verifier.verify(text.toString());
            assertThat(result instanceof Refused || sameContent)
                    .as(text.toString())
                    .isTrue();
        }
        String deep = Base64.getUrlEncoder().encodeToString("[".repeat(3_000).getBytes(StandardCharsets.UTF_8));
        for (String text :
                List.of("..", "a.b.c", ".", deep + "." + deep + ".x", "e30.e30.e30", "bnVsbA.bnVsbA.bnVsbA")) {
            assertThat(verifier.verify(text)).as(text).isInstanceOf(Refused.class);
        }
    }

    @Test
    void keysOfAProviderThatAreTooWeakAreNotUsed() {
        RSAKey weak = TestProvider.newKey("weak", 1_024);
        provider.publish(weak);
        IdentityProvider fresh = IdentityProvider.open(provider.settings(), time);
        assertThat(fresh.verify(TestProvider.signed(provider.claims(time, "ops").build(), weak)))
                .isEqualTo(new Verification.Unverifiable());
    }
}
