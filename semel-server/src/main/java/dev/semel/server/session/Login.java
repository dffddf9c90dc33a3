package dev.semel.server.session;

import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.server.access.LocalUsers.UserSecret;
import dev.semel.server.oidc.OidcSettings;
import java.time.Instant;

/** How somebody proved who they are. A session lasts no longer than what it rests on. */
sealed interface Login {
    Person person();

    /** For the audit. */
    String method();

    /** Whose sessions are counted together. */
    String owner();

    /** By a secret of the configuration file. */
    record BySecret(UserSecret secret) implements Login {
        @Override
        public Person person() {
            return secret.person();
        }

        @Override
        public String method() {
            return "local";
        }

        @Override
        public String owner() {
            return "local " + person().name();
        }
    }

    /**
     * By a token of an identity provider.
     *
     * @param settings under which it was verified
     * @param expires when the token does
     */
    record ByProvider(Person person, OidcSettings settings, Instant expires) implements Login {
        @Override
        public String method() {
            return "oidc";
        }

        @Override
        public String owner() {
            return "oidc " + settings.provider().issuer() + " " + person.name();
        }
    }

    /** By the one-time secret of this process. */
    record ByOneTimeSecret() implements Login {
        private static final Person FIRST = new Person("first-login", Role.ADMIN, null);

        @Override
        public Person person() {
            return FIRST;
        }

        @Override
        public String method() {
            return "one-time";
        }

        @Override
        public String owner() {
            return "one-time";
        }
    }
}
