package dev.semel.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.spring.test.AutoConfigureSemel;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.transaction.AfterTransaction;

/** A slice with a data source, whose tests are transactions that are rolled back. */
@JdbcTest
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@AutoConfigureSemel(reset = AutoConfigureSemel.Reset.NEVER)
@Import(JdbcOrderBook.class)
class JdbcSliceTest {
    @Autowired
    private JdbcOrderBook book;

    @Autowired
    private JdbcTemplate jdbc;

    private int rows(String table) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM " + table, Integer.class);
        return count == null ? 0 : count;
    }

    @RepeatedTest(2)
    void recordOfAnAtomicMethodIsRolledBackWithTheTest() {
        assertThat(book.reorder(new Order("o-1", 7))).isEqualTo(7);
        assertThat(book.reorder(new Order("o-1", 7))).isEqualTo(7);
        assertThat(rows("orders")).isEqualTo(1);
        assertThat(rows("semel_record")).isEqualTo(1);
    }

    @AfterTransaction
    void nothingIsLeft() {
        assertThat(rows("orders")).isZero();
        assertThat(rows("semel_record")).isZero();
    }

    @Test
    void leasedMethodIsRejectedInsideTheTransactionOfTheTest() {
        assertThatThrownBy(() -> book.announce(new Order("o-2", 1), null))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("announce rejected: it is leased and was called inside a transaction");
    }
}
