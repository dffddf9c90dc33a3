package dev.semel.spring;

import dev.semel.http.Hooks;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.util.ClassUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.multipart.MultipartException;

/** Classifies the exceptions of Spring and Spring Security that leave a handler. */
final class SpringExceptions implements Hooks.Exceptions {
    private static final Set<Integer> REFUSALS = Set.of(401, 403, 413, 429);

    private final Hooks.@Nullable Exceptions applications;
    private final List<Class<?>> security = present(
            "org.springframework.security.access.AccessDeniedException",
            "org.springframework.security.core.AuthenticationException");
    private final List<Class<?>> locking = present("jakarta.persistence.OptimisticLockException");

    /** @param applications the application's hook, called first */
    SpringExceptions(Hooks.@Nullable Exceptions applications) {
        this.applications = applications;
    }

    private static List<Class<?>> present(String... names) {
        ClassLoader loader = SpringExceptions.class.getClassLoader();
        return Stream.of(names)
                .filter(name -> ClassUtils.isPresent(name, loader))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, loader))
                .toList();
    }

    @Override
    public Meaning of(Throwable thrown) {
        Meaning said = applications == null ? Meaning.FAILURE : applications.of(thrown);
        if (said != Meaning.FAILURE) {
            return said;
        }
        if (thrown instanceof OptimisticLockingFailureException || isOneOf(locking, thrown)) {
            return Meaning.VERSION_MISMATCH;
        }
        return isOneOf(security, thrown) || isUnreadable(thrown) || REFUSALS.contains(status(thrown))
                ? Meaning.REFUSAL
                : Meaning.FAILURE;
    }

    /** A body without parts, sent to a multipart route: Spring responds with 500 before the handler runs. */
    private static boolean isUnreadable(Throwable thrown) {
        return thrown instanceof MultipartException;
    }

    private static boolean isOneOf(List<Class<?>> types, Throwable thrown) {
        return types.stream().anyMatch(type -> type.isInstance(thrown));
    }

    private static int status(Throwable thrown) {
        if (thrown instanceof ErrorResponse response) {
            return response.getStatusCode().value();
        }
        ResponseStatus said = AnnotatedElementUtils.findMergedAnnotation(thrown.getClass(), ResponseStatus.class);
        return said == null ? 0 : Objects.requireNonNull(said.code()).value();
    }
}
