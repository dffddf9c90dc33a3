package dev.semel.server.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import dev.semel.console.access.Person;
import dev.semel.time.TimeSource;
import java.text.ParseException;
import java.time.Instant;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Verifies the tokens of an identity provider: signed JWTs. Thread-safe. */
public final class IdentityProvider {
    /** A longer one is not read. */
    public static final int LONGEST_TOKEN = 8_192;

    private static final Logger LOG = LoggerFactory.getLogger(IdentityProvider.class);

    private final OidcSettings settings;
    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    private final ClaimReader reader;

    /** The result for one token. */
    public sealed interface Verification {
        /**
         * The token is valid.
         *
         * @param expires when it ends by itself
         */
        record Verified(Person person, Instant expires) implements Verification {}

        /**
         * The token is not accepted.
         *
         * @param reason without anything of the token
         */
        record Refused(String reason) implements Verification {}

        /** The provider's keys are not known, and it cannot be asked now. */
        record Unverifiable() implements Verification {}
    }

    private IdentityProvider(OidcSettings settings, ProviderKeys keys, TimeSource time) {
        this.settings = settings;
        this.reader = new ClaimReader(settings.claims());
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(
                settings.algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toUnmodifiableSet()), keys));
        processor.setJWTClaimsSetVerifier(new TokenChecks(settings, time));
    }

    /** Begins to fetch the provider's keys and does not wait for them: a provider that is down stops no server. */
    public static IdentityProvider open(OidcSettings settings, TimeSource time) {
        ProviderDocuments documents = new ProviderDocuments(settings.provider());
        ProviderKeys keys = new ProviderKeys(settings.provider().issuer(), documents::keys, time);
        keys.prefetch();
        return new IdentityProvider(settings, keys, time);
    }

    /** As it was opened with. */
    public OidcSettings settings() {
        return settings;
    }

    /** Whether it has the form of a token that this may verify: three parts. Says nothing about what is in them. */
    public static boolean isToken(String text) {
        return text.chars().filter(each -> each == '.').count() == 2;
    }

    /** Whose token this is. Waits a few seconds at most, and only if a key must be fetched for it. */
    public Verification verify(String token) {
        if (token.length() > LONGEST_TOKEN) {
            return new Verification.Refused("the token is longer than " + LONGEST_TOKEN + " characters");
        }
        try {
            JWTClaimsSet claims = processor.process(SignedJWT.parse(token), null);
            return new Verification.Verified(
                    reader.person(claims), claims.getExpirationTime().toInstant());
        } catch (ParseException e) {
            return new Verification.Refused("the token is not a signed JWT");
        } catch (TokenRefused e) {
            return new Verification.Refused(e.reason());
        } catch (ExpiredJWTException e) {
            return new Verification.Refused("the token has expired");
        } catch (BadJWTException e) {
            return new Verification.Refused("the token is not valid yet");
        } catch (KeySourceException e) {
            return new Verification.Unverifiable();
        } catch (BadJOSEException | JOSEException e) {
            return new Verification.Refused("the signature, key or algorithm of the token is not accepted");
        } catch (RuntimeException e) {
            // The parser fails like this on some malformed input, such as a header that is JSON's null.
            LOG.debug("A token could not be parsed", e);
            return new Verification.Refused("the token is not a signed JWT");
        }
    }
}
