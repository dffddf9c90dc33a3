package dev.semel.architecture;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaConstructor;
import java.util.Set;

/** Methods, fields or constructors of a type and its subtypes; no names means all of them. */
record Member(Class<?> owner, Set<String> names) {
    static Member of(Class<?> owner, String... names) {
        return new Member(owner, Set.of(names));
    }

    static Member constructor(Class<?> owner) {
        return of(owner, JavaConstructor.CONSTRUCTOR_NAME);
    }

    boolean isTargetOf(JavaAccess<?> access) {
        return access.getTargetOwner().isAssignableTo(owner)
                && (names.isEmpty() || names.contains(access.getTarget().getName()));
    }
}
