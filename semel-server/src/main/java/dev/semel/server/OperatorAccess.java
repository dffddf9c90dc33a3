package dev.semel.server;

import dev.semel.engine.Engine;
import dev.semel.server.access.AdminAccess;
import dev.semel.server.config.ServerConfig;
import org.jspecify.annotations.Nullable;

/** Says who operates a server under a configuration. */
@FunctionalInterface
public interface OperatorAccess {
    /** Nobody: the API for operators is off. */
    OperatorAccess NONE = (config, engine) -> null;

    /** Null when nobody may: the API for operators is off then. */
    @Nullable AdminAccess of(ServerConfig config, Engine engine);
}
