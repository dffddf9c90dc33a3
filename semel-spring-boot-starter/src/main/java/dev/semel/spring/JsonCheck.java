package dev.semel.spring;

import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * Whether Jackson 3 finds the annotations that it reads. They are an artifact of Jackson 2, which Spring Boot 3.5 pins to a
 * version that may be too old; without a look at it the first call would fail, not the start.
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
                    "Jackson 3 misses " + e.getMessage() + ", since the annotations of Jackson on the class path are"
                            + " older than it needs: set com.fasterxml.jackson.core:jackson-annotations to 2.22 or newer in the"
                            + " application's dependency management");
        }
    }
}
