package dev.semel.server.listen;

import org.eclipse.jetty.server.Request;

/** Says how much of a request's body is awaited before a thread handles the request. Thread-safe. */
@FunctionalInterface
public interface BodyRule {
    /** Asked once for each request with a body. */
    AwaitedBody of(Request request);

    /**
     * @param bytes awaited in memory; the body is passed on when it is complete, or longer than this
     * @param largest that the endpoint accepts. A request that declares more is passed on at once, because it is rejected without being
     *     read. If this is more than {@code bytes}, the endpoint reads the rest of a long body as it arrives
     */
    record AwaitedBody(int bytes, long largest) {
        /** The request is passed on at once: its body will not be read. */
        public static final AwaitedBody NOTHING = new AwaitedBody(0, 0);

        /** Nothing longer is accepted. */
        public static AwaitedBody whole(int largest) {
            return new AwaitedBody(largest, largest);
        }

        boolean isPassedAtOnce(long declared) {
            return bytes <= 0 || declared > largest;
        }
    }
}
