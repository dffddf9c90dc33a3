package dev.semel.server.delivery;

import dev.semel.server.config.CidrNetwork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;

/**
 * Resolves the host of a destination once for a new connection, checks every address, and hands exactly those to the client: a name that
 * changes its address between check and connection has no effect. Each address carries the name, by which TLS verifies the certificate.
 *
 * <p>A destination has at most one lookup under way, which its further connections share. So a resolver that hangs holds one thread of each
 * destination, and none of the client.
 */
final class PinnedResolver implements SocketAddressResolver {
    /** Each takes up to the connect time-out when nobody answers. */
    private static final int MOST_TRIED = 4;

    private final NameLookup names;
    private final Executor threads;
    private final Map<Lookup, CompletableFuture<List<InetAddress>>> underWay = new ConcurrentHashMap<>();

    private record Lookup(EgressRoute route, String host) {}

    /** @param threads may block, and start a thread for each destination */
    PinnedResolver(NameLookup names, Executor threads) {
        this.names = names;
        this.threads = threads;
    }

    @Override
    public void resolve(String host, int port, Map<String, Object> context, Promise<List<InetSocketAddress>> promise) {
        if (!(context.get(Destination.CONTEXT_KEY) instanceof Destination destination)
                || !(destination.getOrigin().getTag() instanceof EgressRoute route)) {
            promise.failed(new EgressRejected(host, "a request without egress rules"));
            return;
        }
        Lookup lookup = new Lookup(route, host);
        CompletableFuture<List<InetAddress>> found = new CompletableFuture<>();
        CompletableFuture<List<InetAddress>> shared = underWay.putIfAbsent(lookup, found);
        (shared == null ? found : shared).whenComplete((addresses, failure) -> {
            if (failure == null) {
                promise.succeeded(addresses.stream()
                        .map(address -> new InetSocketAddress(address, port))
                        .toList());
            } else {
                promise.failed(failure instanceof CompletionException wrapped ? wrapped.getCause() : failure);
            }
        });
        if (shared == null) {
            start(lookup, found);
        }
    }

    private void start(Lookup lookup, CompletableFuture<List<InetAddress>> found) {
        try {
            threads.execute(() -> look(lookup, found));
        } catch (RejectedExecutionException e) {
            underWay.remove(lookup);
            found.completeExceptionally(e);
        }
    }

    private void look(Lookup lookup, CompletableFuture<List<InetAddress>> found) {
        try {
            List<InetAddress> checked = checked(lookup);
            underWay.remove(lookup);
            found.complete(checked);
        } catch (IOException | RuntimeException e) {
            underWay.remove(lookup);
            found.completeExceptionally(e);
        } catch (Error e) {
            underWay.remove(lookup);
            found.completeExceptionally(new IOException("the lookup of the name failed: " + e, e));
            throw e;
        }
    }

    private List<InetAddress> checked(Lookup lookup) throws IOException {
        String host = lookup.host;
        boolean literal = host.startsWith("[") || CidrNetwork.isIpv4(host);
        List<InetAddress> addresses = literal ? NameLookup.SYSTEM.addresses(host) : names.addresses(host);
        if (addresses.isEmpty()) {
            throw new UnknownHostException("no address");
        }
        lookup.route.guard().demandAllowed(addresses);
        List<InetAddress> named = new ArrayList<>();
        for (InetAddress address : addresses.subList(0, Math.min(MOST_TRIED, addresses.size()))) {
            named.add(InetAddress.getByAddress(host, address.getAddress()));
        }
        return named;
    }
}
