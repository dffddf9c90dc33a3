package dev.semel.architecture.planted;

import org.slf4j.Logger;

public interface Guest {
    Logger foreign();
}
