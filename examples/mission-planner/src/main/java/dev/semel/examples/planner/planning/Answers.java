package dev.semel.examples.planner.planning;

import dev.semel.http.ExpectedVersion;
import java.net.URI;
import java.time.Instant;
import org.springframework.http.ResponseEntity;

/** Responses with the version of the resource. */
final class Answers {
    private Answers() {}

    static <T> ResponseEntity<T> created(String location, long version, T body) {
        return ResponseEntity.created(URI.create(location))
                .eTag(ExpectedVersion.etag(version))
                .body(body);
    }

    static <T> ResponseEntity<T> of(long version, T body) {
        return ResponseEntity.ok().eTag(ExpectedVersion.etag(version)).body(body);
    }

    static <T> ResponseEntity<T> of(Instant updatedAt, T body) {
        return ResponseEntity.ok().eTag(ExpectedVersion.etag(updatedAt)).body(body);
    }
}
