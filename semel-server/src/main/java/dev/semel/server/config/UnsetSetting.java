package dev.semel.server.config;

import org.jspecify.annotations.Nullable;

/**
 * What holds when a setting is not set.
 *
 * @param preset read as if it were written; null when there is none
 * @param words for the reference
 */
record UnsetSetting(@Nullable String preset, String words) {
    static UnsetSetting required() {
        return new UnsetSetting(null, "required");
    }

    static UnsetSetting preset(String value) {
        return new UnsetSetting(value, value);
    }

    static UnsetSetting words(String words) {
        return new UnsetSetting(null, words);
    }
}
