package dev.semel.architecture.planted.key;

import dev.semel.architecture.planted.engine.Machine;

final class Climber {
    Machine[] upwards() {
        return new Machine[0];
    }
}
