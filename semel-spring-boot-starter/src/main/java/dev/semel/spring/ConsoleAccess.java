package dev.semel.spring;

import dev.semel.console.access.AdminAccess;
import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.springframework.security.core.Authentication;
import org.springframework.util.ClassUtils;

/**
 * Who the application says sent a request, and the role that its authorities give. The application's own rules come first: what they reject
 * does not get here; what they permit to everybody is rejected here all the same.
 */
final class ConsoleAccess implements AdminAccess {
    private static final boolean SPRING_SECURITY =
            ClassUtils.isPresent("org.springframework.security.core.Authentication", null);

    private static final Duration LONGEST_WITHOUT_SESSION = Duration.ofMinutes(1);

    private final SemelConsoleProperties properties;
    private final ConsoleTenantResolver tenants;
    private final TimeSource time;

    ConsoleAccess(SemelConsoleProperties properties, ConsoleTenantResolver tenants, TimeSource time) {
        this.properties = properties;
        this.tenants = tenants;
        this.time = time;
    }

    @Override
    public AdminAuthentication authenticate(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        if (principal == null) {
            return new AdminAuthentication.Unknown("log in to the application");
        }
        Optional<Role> role = role(request);
        if (role.isEmpty()) {
            return new AdminAuthentication.Unknown("none of your authorities is one of the console");
        }
        try {
            return new AdminAuthentication.Known(new Person(
                    principal.getName(), role.get(), tenants.of(request).orElse(null)));
        } catch (IllegalStateException unknown) {
            return new AdminAuthentication.Unknown(String.valueOf(unknown.getMessage()));
        }
    }

    /** Whether somebody is logged in who has no role here. */
    boolean isWithoutRole(HttpServletRequest request) {
        return request.getUserPrincipal() != null && role(request).isEmpty();
    }

    /** The highest one. */
    private Optional<Role> role(HttpServletRequest request) {
        Predicate<String> has = SPRING_SECURITY && SpringAuthorities.areKnown(request)
                ? authority -> SpringAuthorities.has(request, authority)
                : authority -> request.isUserInRole(authority.replaceFirst("^ROLE_", ""));
        if (has(properties.adminAuthorities(), has)) {
            return Optional.of(Role.ADMIN);
        }
        if (has(properties.operatorAuthorities(), has)) {
            return Optional.of(Role.OPERATOR);
        }
        return has(properties.viewerAuthorities(), has) ? Optional.of(Role.VIEWER) : Optional.empty();
    }

    private static boolean has(List<String> wanted, Predicate<String> has) {
        return wanted.stream().anyMatch(has);
    }

    /** Apart, so that nothing of Spring Security is loaded in an application without it. */
    private static final class SpringAuthorities {
        static boolean areKnown(HttpServletRequest request) {
            return request.getUserPrincipal() instanceof Authentication;
        }

        static boolean has(HttpServletRequest request, String authority) {
            return request.getUserPrincipal() instanceof Authentication known
                    && known.getAuthorities().stream().anyMatch(each -> authority.equals(each.getAuthority()));
        }
    }

    /**
     * The thread that asks has no security context: a stream is valid as long as the session in which it was opened. Credentials that were
     * sent with the request itself cannot be examined again without a further one, for which the client is made to reconnect.
     */
    @Override
    public BooleanSupplier validity(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session == null || request.getHeader("Authorization") != null) {
            long opened = time.nanos();
            return () -> time.nanos() - opened < LONGEST_WITHOUT_SESSION.toNanos();
        }
        return () -> {
            try {
                session.getCreationTime();
                return true;
            } catch (IllegalStateException ended) {
                return false;
            }
        };
    }
}
