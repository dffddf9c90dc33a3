package dev.semel.spring.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** What was noted. Its text is there once. */
@Entity
public class Note {
    @Id
    @GeneratedValue
    private Long id;

    @Column(unique = true)
    private String text;

    protected Note() {
        this("");
    }

    public Note(String text) {
        this.id = null;
        this.text = text;
    }

    public void rename(String to) {
        text = to;
    }

    public String text() {
        return text;
    }
}
