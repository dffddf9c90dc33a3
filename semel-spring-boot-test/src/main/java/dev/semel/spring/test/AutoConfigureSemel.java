package dev.semel.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Adds Semel to a test slice, such as {@code @WebMvcTest} or {@code @JdbcTest}: the engine, {@code @Idempotent} methods and the
 * Idempotency-Key filter. The ledger is in the data source of the slice; in a slice without one it is in memory, and all requests
 * run at the level PLAIN.
 *
 * <p>Each test starts with an empty ledger; see {@link #reset}. In a {@code @SpringBootTest}, which has Semel already, the
 * annotation only does that.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureSemel {
    /** Which ledgers are emptied before and after each test. */
    Reset reset() default Reset.TEST_LEDGER;

    /** Which ledgers are emptied. */
    enum Reset {
        /**
         * A ledger in memory, and one that had no records when this JVM first opened it: all its records are from tests. With
         * any other ledger the test fails, and nothing is removed.
         */
        TEST_LEDGER,
        /** Every ledger. For a test database that keeps its records from one run of the tests to the next. */
        ANY_LEDGER,
        /** None. */
        NEVER
    }
}
