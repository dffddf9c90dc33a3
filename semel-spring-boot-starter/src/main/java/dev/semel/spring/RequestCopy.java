package dev.semel.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A copy of a request with its own attributes. */
class RequestCopy extends HttpServletRequestWrapper {
    private final Map<String, Optional<Object>> own = new HashMap<>();

    RequestCopy(HttpServletRequest request) {
        super(request);
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        Optional<Object> mine = own.get(name);
        return mine == null ? super.getAttribute(name) : mine.orElse(null);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        own.put(name, Optional.ofNullable(value));
    }

    @Override
    public void removeAttribute(String name) {
        own.put(name, Optional.empty());
    }

    @Override
    public Enumeration<String> getAttributeNames() {
        Set<String> names = new TreeSet<>(Collections.list(super.getAttributeNames()));
        own.forEach((name, value) -> {
            if (value.isPresent()) {
                names.add(name);
            } else {
                names.remove(name);
            }
        });
        return Collections.enumeration(names);
    }
}
