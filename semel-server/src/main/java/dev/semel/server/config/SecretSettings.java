package dev.semel.server.config;

import java.util.List;
import java.util.Optional;

/** Settings whose values are secrets: they come from references, and no message shows them. */
final class SecretSettings {
    static final String HOW = "is a secret and must not be written in the file: write ${env:NAME} or ${file:/path}";
    private static final String PREFIX = "whsec_";

    private SecretSettings() {}

    /** Those that are sound; empty when one is not, which is reported. */
    static Optional<List<ConfigText>> read(ConfigSection section, DeclaredSetting setting) {
        int before = section.findings().count();
        List<ConfigText> texts = section.texts(setting);
        texts.forEach(text -> {
            if (!isReferenceOnly(text)) {
                section.findings().fault(text.at(), section.label(setting.key()) + " " + HOW);
            }
        });
        return section.findings().count() > before ? Optional.empty() : Optional.of(texts);
    }

    private static boolean isReferenceOnly(ConfigText text) {
        String literal = text.masked().replace(String.valueOf(ConfigText.REFERENCE), "");
        return text.hasReference() && (literal.isEmpty() || literal.equals(PREFIX));
    }
}
