package dev.semel.server.config;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A setting of the file. The reader knows no others, takes the presets from here, and {@code docs/server-configuration.md} is written
 * from here.
 */
sealed interface DeclaredSetting permits ConfigSetting, GatewaySetting {
    /**
     * What is said of a setting.
     *
     * @param key its name in the file
     * @param form what may be written
     * @param unset what holds when it is not set
     * @param meaning one or two sentences
     */
    record SettingText(ConfigPart part, String key, String form, UnsetSetting unset, String meaning) {}

    SettingText text();

    /** In the order of the reference. */
    static List<DeclaredSetting> all() {
        return Stream.<DeclaredSetting>concat(Stream.of(ConfigSetting.values()), Stream.of(GatewaySetting.values()))
                .toList();
    }

    default ConfigPart part() {
        return text().part;
    }

    /** Its name in the file. */
    default String key() {
        return text().key;
    }

    /** What may be written. */
    default String form() {
        return text().form;
    }

    /** One or two sentences. */
    default String meaning() {
        return text().meaning;
    }

    default boolean isRequired() {
        return unset().equals("required");
    }

    /** Read as if it were written; null when there is none. */
    default @Nullable String presetValue() {
        return text().unset.preset();
    }

    /** What holds when it is not set, in words. */
    default String unset() {
        return text().unset.words();
    }
}
