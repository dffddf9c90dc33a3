package dev.semel.examples.planner;

import dev.semel.examples.planner.access.Tokens;
import java.util.UUID;

/** An organisation with people in it. */
record Organisation(Planner planner, String id) {
    private static final int PLENTY = 1_000_000;

    static Organisation found(Planner planner) {
        String id = "org-" + UUID.randomUUID().toString().substring(0, 8);
        planner.jdbc()
                .sql("INSERT INTO organisation (id, name) VALUES (?, ?)")
                .params(id, id)
                .update();
        return new Organisation(planner, id);
    }

    Person ada() {
        return person("ada", "PLANNER", PLENTY);
    }

    Person bob() {
        return person("bob", "PLANNER", PLENTY);
    }

    Person reader() {
        return person("rea", "READER", PLENTY);
    }

    Person person(String name, String role, int perMinute) {
        String token = "token-of-" + name + "-" + UUID.randomUUID();
        planner.jdbc()
                .sql("INSERT INTO access_token (hash, organisation, person, role, per_minute) VALUES (?, ?, ?, ?, ?)")
                .params(Tokens.hash(token), id, name, role, perMinute)
                .update();
        return new Person(planner, id, name, token);
    }
}
