package dev.semel.spring;

import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;

/**
 * Who issued the token of a principal. Spring Security's types for tokens are optional, so they are known by the properties
 * that they have.
 */
final class TokenIssuer {
    private static final String CLAIM = "iss";

    /** Of a bearer's token, of a token that is the principal itself, and of a login by OpenID Connect. */
    private static final String[] CLAIMS = {"tokenAttributes", "principal.claims", "principal.attributes"};

    /** Of a login by OAuth 2.0 alone, which has no issuer: whom the application asked. */
    private static final String REGISTRATION = "authorizedClientRegistrationId";

    private TokenIssuer() {}

    /** Nothing for a principal that came without a token. */
    static @Nullable String of(Principal principal) {
        BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(principal);
        for (String claims : CLAIMS) {
            if (properties.isReadableProperty(claims)
                    && properties.getPropertyValue(claims) instanceof Map<?, ?> all
                    && all.get(CLAIM) != null) {
                return String.valueOf(all.get(CLAIM));
            }
        }
        return properties.isReadableProperty(REGISTRATION)
                        && properties.getPropertyValue(REGISTRATION) instanceof String registration
                ? registration
                : null;
    }
}
