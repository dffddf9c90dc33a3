package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.ApplicationStore;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.fault.FaultProxy.Loss;
import java.io.IOException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** A5: the connection is lost exactly at a COMMIT that Spring's transaction manager sends. */
@Timeout(300)
class SpringCommitTest {
    private static final Operation.Atomic<String, String> PAY = Operation.atomic("pay", String.class, String.class);

    /** Each wraps what the driver says in exceptions of its own. */
    enum ManagedBy {
        JDBC(JdbcTransactionManager::new),
        PLAIN_JDBC(DataSourceTransactionManager::new),
        JPA(ManagedBy::jpa);

        private final Function<DataSource, PlatformTransactionManager> made;

        ManagedBy(Function<DataSource, PlatformTransactionManager> made) {
            this.made = made;
        }

        PlatformTransactionManager on(DataSource source) {
            return made.apply(source);
        }

        private static PlatformTransactionManager jpa(DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setPackagesToScan("dev.semel.spring.jpa");
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.afterPropertiesSet();
            JpaTransactionManager manager = new JpaTransactionManager(factory.getObject());
            manager.setDataSource(source);
            manager.afterPropertiesSet();
            return manager;
        }
    }

    private FaultProxy proxy;
    private HikariDataSource pool;
    private JdbcTemplate direct;

    @BeforeEach
    void open() throws IOException {
        proxy = FaultProxy.toPostgres(PrivatePostgres.shared().port());
        String url = Databases.POSTGRESQL.fresh();
        pool = new HikariDataSource();
        pool.setJdbcUrl(url.replace(":" + PrivatePostgres.shared().port() + "/", ":" + proxy.port() + "/"));
        pool.setMaximumPoolSize(1);
        direct = new JdbcTemplate(new org.springframework.jdbc.datasource.DriverManagerDataSource(url));
        direct.execute("CREATE TABLE payment (order_id TEXT NOT NULL)");
    }

    @AfterEach
    void close() throws IOException {
        pool.close();
        proxy.close();
    }

    private Engine engine(ManagedBy by) {
        return EngineSettings.on(ApplicationStore.on(
                        pool, new SpringTransactions(by.on(pool), pool), StoreProvider.Options.DEFAULT))
                .withoutBackground()
                .open();
    }

    private Answer<String> pay(Engine engine) {
        return engine.run(PAY, Call.of(Tenant.SINGLE, Key.of("k"), "order"), (order, tx) -> {
            new JdbcTemplate(pool).update("INSERT INTO payment (order_id) VALUES (?)", order);
            return "paid";
        });
    }

    private int paid() {
        Integer count = direct.queryForObject("SELECT count(*) FROM payment", Integer.class);
        return count == null ? 0 : count;
    }

    @ParameterizedTest
    @EnumSource
    void a5_commitWhoseReplyIsLostIsFoundToBeCommitted(ManagedBy by) {
        try (Engine engine = engine(by)) {
            engine.operator().modes();
            proxy.atCommit(Loss.REPLY);
            assertThat(pay(engine)).isInstanceOf(Answer.Executed.class);
            assertThat(paid()).isEqualTo(1);
            assertThat(pay(engine)).isInstanceOf(Answer.Replayed.class);
            assertThat(paid()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a5_commitThatNeverArrivedIsFoundToBeRolledBack(ManagedBy by) {
        try (Engine engine = engine(by)) {
            engine.operator().modes();
            proxy.atCommit(Loss.REQUEST);
            assertThatThrownBy(() -> pay(engine))
                    .isInstanceOf(SemelException.StoreUnavailable.class)
                    .hasMessageContaining("nothing was committed");
            assertThat(paid()).isZero();
            assertThat(pay(engine)).isInstanceOf(Answer.Executed.class);
            assertThat(paid()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a5_openTransactionIsEndedBeforeItsOutcomeIsDecided(ManagedBy by) {
        try (Engine engine = engine(by)) {
            engine.operator().modes();
            FaultProxy.Trap trap = proxy.atCommit(Loss.REQUEST_HELD);
            assertThatThrownBy(() -> pay(engine)).isInstanceOf(SemelException.StoreUnavailable.class);
            trap.release();
            assertThat(pay(engine)).isInstanceOf(Answer.Executed.class);
            assertThat(paid()).isEqualTo(1);
        }
    }
}
