package dev.semel.console.admin;

import dev.semel.console.access.Role;
import dev.semel.console.live.LiveSource;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.Endpoint;
import java.util.Map;
import java.util.function.Consumer;

/**
 * An endpoint with what serves it.
 *
 * @param role that a person needs
 */
record AdminEndpoint(Endpoint endpoint, Role role, AdminHandler handler) {

    /** Answers a request of a person who has the role. */
    @FunctionalInterface
    interface AdminHandler {
        AdminReply respond(AdminResources all, AdminCall call) throws ApiProblem;
    }

    /** What a request is answered. */
    sealed interface AdminReply {
        /** One JSON object. */
        record OneObject(Map<String, Object> members) implements AdminReply {}

        /** Events as they come, until the client goes. */
        record LiveEvents(LiveSource source) implements AdminReply {}

        /**
         * Many, one after the other, none of which is kept.
         *
         * @param end to be run when all are written, or no more will be; again does no harm
         */
        record ManyObjects(Consumer<Consumer<Map<String, Object>>> source, Runnable end) implements AdminReply {
            ManyObjects(Consumer<Consumer<Map<String, Object>>> source) {
                this(source, () -> {});
            }
        }
    }
}
