package dev.semel.spring.jpa;

import dev.semel.spring.Idempotent;
import jakarta.persistence.EntityManager;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Notes by JPA, run once. */
public class Notes {
    private final EntityManager entities;
    private final JdbcTemplate jdbc;

    public Notes(EntityManager entities, JdbcTemplate jdbc) {
        this.entities = entities;
        this.jdbc = jdbc;
    }

    /** What is written by JPA and what is written by JDBC are one transaction, whatever happens after. */
    @Idempotent(value = "note", key = "#key", policy = "once")
    @Transactional
    public String note(String key, String text, boolean fails) {
        entities.persist(new Note(text));
        jdbc.update("INSERT INTO logged (text) VALUES (?)", text);
        if (fails) {
            throw new IllegalStateException("after the note");
        }
        return text;
    }

    @Idempotent(value = "note-again", key = "#key", policy = "once")
    public String noteWithoutTransactional(String key, String text) {
        entities.persist(new Note(text));
        return text;
    }

    public long count(String text) {
        return entities.createQuery("SELECT count(n) FROM Note n WHERE n.text = :text", Long.class)
                .setParameter("text", text)
                .getSingleResult();
    }

    public long logged(String text) {
        Long count = jdbc.queryForObject("SELECT count(*) FROM logged WHERE text = ?", Long.class, text);
        return count == null ? 0 : count;
    }
}
