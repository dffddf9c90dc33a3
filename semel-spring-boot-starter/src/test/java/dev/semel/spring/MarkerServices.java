package dev.semel.spring;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Handlers that call one {@code @Transactional} service after another, as applications do. */
@RestController
@RequestMapping("/marker/{key}")
public class MarkerServices {
    private final Orders orders;
    private final Payments payments;

    public MarkerServices(Orders orders, Payments payments) {
        this.orders = orders;
        this.payments = payments;
    }

    /** The first transaction. */
    public static class Orders {
        private final JdbcTemplate jdbc;

        public Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public void place(String key) {
            jdbc.update("INSERT INTO effect (name) VALUES (?)", key);
        }

        @Transactional(readOnly = true)
        public Integer look(String key) {
            return jdbc.queryForObject("SELECT count(*) FROM effect WHERE name = ?", Integer.class, key);
        }

        @Transactional
        public Integer lookAtWill(String key) {
            return look(key);
        }
    }

    /** The second transaction, which fails. */
    public static class Payments {
        private final JdbcTemplate jdbc;
        private final MarkerController controller;

        public Payments(JdbcTemplate jdbc, MarkerController controller) {
            this.jdbc = jdbc;
            this.controller = controller;
        }

        @Transactional
        public String pay(String key) {
            jdbc.update("INSERT INTO effect (name) VALUES (?)", key + "-payment");
            return controller.failOnce(key);
        }

        @Transactional
        public String deny(String key) {
            jdbc.update("INSERT INTO effect (name) VALUES (?)", key + "-payment");
            controller.count(key);
            throw new ResponseStatusException(HttpStatus.FORBIDDEN);
        }
    }

    @PostMapping("/placed-then-failed")
    public String placedThenFailed(@PathVariable String key) {
        orders.place(key);
        return payments.pay(key);
    }

    @PostMapping("/looked-then-failed")
    public String lookedThenFailed(@PathVariable String key) {
        orders.look(key);
        orders.lookAtWill(key);
        return payments.pay(key);
    }

    @PostMapping("/looked-then-denied")
    public String lookedThenDenied(@PathVariable String key) {
        orders.look(key);
        return payments.deny(key);
    }

    @PostMapping("/placed-then-denied")
    public String placedThenDenied(@PathVariable String key) {
        orders.place(key);
        return payments.deny(key);
    }
}
