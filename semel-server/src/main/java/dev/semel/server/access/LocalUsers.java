package dev.semel.server.access;

import dev.semel.SemelException;
import dev.semel.console.access.Person;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operators of the configuration file. Of their secrets only the SHA-256 is kept. Thread-safe. */
public final class LocalUsers {
    private final List<UserSecret> secrets;

    /** One secret of an operator. */
    public record UserSecret(SecretDigest digest, Person person) {}

    private LocalUsers(List<UserSecret> secrets) {
        this.secrets = secrets;
    }

    /** @throws SemelException.Misconfigured naming all faults, of names and secrets */
    public static LocalUsers of(List<LocalUser> users) {
        List<String> faults = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<SecretDigest> taken = new HashSet<>();
        List<UserSecret> secrets = new ArrayList<>();
        for (LocalUser user : users) {
            String which = "user " + user.name() + ": ";
            if (!names.add(user.name())) {
                faults.add(which + "another user has the same name");
            }
            if (user.secrets().isEmpty() || user.secrets().size() > LocalUser.MOST_SECRETS) {
                faults.add(
                        which + "it has " + user.secrets().size() + " secrets; give it 1 to " + LocalUser.MOST_SECRETS);
            }
            for (String secret : user.secrets()) {
                String problem = SecretRules.problemForOperator(secret);
                SecretDigest digest = SecretDigest.of(secret);
                if (!problem.isEmpty()) {
                    faults.add(which + "its secret " + problem);
                } else if (!taken.add(digest)) {
                    faults.add(which + "one of its secrets is there twice, or is that of another user");
                }
                secrets.add(new UserSecret(digest, user.person()));
            }
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("users", faults);
        }
        return new LocalUsers(List.copyOf(secrets));
    }

    /** Whose secret this is; null when it is nobody's. Takes as long for each of them. */
    public @Nullable UserSecret find(String secret) {
        SecretDigest sent = SecretDigest.of(secret);
        UserSecret found = null;
        for (UserSecret each : secrets) {
            if (each.digest.equals(sent)) {
                found = each;
            }
        }
        return found;
    }

    /** Whether this is still a secret of this operator, with the same role and tenant. */
    public boolean has(UserSecret secret) {
        return secrets.contains(secret);
    }

    /** Whether one of them has this name. */
    public boolean isName(String name) {
        return secrets.stream().anyMatch(each -> each.person.name().equals(name));
    }

    /** Names only. */
    @Override
    public String toString() {
        return "LocalUsers"
                + secrets.stream().map(each -> each.person.name()).distinct().toList();
    }
}
