package dev.semel.console.rest;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the endpoint of a request. A path without variable parts goes before one with them. */
public final class EndpointTable<E> {
    private final List<E> all;
    private final Function<E, Endpoint> description;

    /** @param description what an entry says of its endpoint */
    public EndpointTable(List<E> all, Function<E, Endpoint> description) {
        this.all = List.copyOf(all);
        this.description = description;
    }

    /**
     * The endpoint of a request.
     *
     * @param values of the variable parts of its path, in their order
     */
    public record FoundEndpoint<E>(E entry, List<String> values) {}

    /** Every endpoint. */
    public List<E> all() {
        return all;
    }

    /** @throws ApiProblem when there is no such path, or it has no such method */
    public FoundEndpoint<E> find(String method, @Nullable String path) throws ApiProblem {
        FoundEndpoint<E> found = null;
        TreeSet<String> methods = new TreeSet<>();
        for (E entry : all) {
            Endpoint endpoint = description.apply(entry);
            Optional<List<String>> values = endpoint.match(path == null ? "" : path);
            if (values.isPresent()) {
                methods.add(endpoint.method());
                boolean better = found == null || values.get().size() < found.values.size();
                if (endpoint.method().equals(method) && better) {
                    found = new FoundEndpoint<>(entry, values.get());
                }
            }
        }
        if (found != null) {
            return found;
        }
        if (methods.isEmpty()) {
            throw new ApiProblem(ApiCode.PATH_NOT_FOUND, "The API has no such path.");
        }
        String allowed = String.join(", ", methods);
        throw new ApiProblem(ApiCode.METHOD_NOT_ALLOWED, "Use " + allowed + ".").allowing(allowed);
    }
}
