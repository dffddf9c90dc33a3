package dev.semel.spring;

import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;

/**
 * The issuer of a principal's token. Spring Security's token types are optional, so this reads their properties by name.
 */
final class TokenIssuer {
    private static final String CLAIM = "iss";

    /** The claims of a bearer token, of a token as principal, and of an OpenID Connect login. */
    private static final String[] CLAIMS = {"tokenAttributes", "principal.claims", "principal.attributes"};

    /** The client registration of an OAuth 2.0 login, which has no issuer. */
    private static final String REGISTRATION = "authorizedClientRegistrationId";

    private TokenIssuer() {}

    /** Null for a principal without a token. */
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
