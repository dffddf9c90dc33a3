package dev.semel.architecture.planted;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

public interface Host {
    @Nullable
    Connection connection();

    byte[][] bytes();

    interface Nested {}
}
