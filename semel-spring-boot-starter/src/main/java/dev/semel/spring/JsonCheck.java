package dev.semel.spring;

import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks that Jackson 3 finds its annotations. They are in an artifact of Jackson 2, and Spring Boot 3.5 may pin a version that is
 * too old. Without this check the first call would fail instead of the start.
 */
final class JsonCheck {
    private JsonCheck() {}

    private record Anything(String value) {}

    static Optional<String> fault() {
        return fault(() -> JsonMapper.shared().writeValueAsBytes(new Anything("anything")));
    }

    static Optional<String> fault(Runnable writing) {
        try {
            writing.run();
            return Optional.empty();
        } catch (LinkageError e) {
            return Optional.of(
                    "Jackson 3 cannot find " + e.getMessage() + ": the jackson-annotations on the class path are too"
                            + " old. Set com.fasterxml.jackson.core:jackson-annotations to 2.22 or newer in the"
                            + " application's dependency management");
        }
    }
}
