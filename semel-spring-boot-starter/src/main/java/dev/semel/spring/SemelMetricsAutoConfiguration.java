package dev.semel.spring;

import dev.semel.watch.MicrometerWatch;
import dev.semel.watch.Watch;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Publishes Semel's metrics and observations to Micrometer, where it is present. */
@AutoConfiguration(
        before = SemelAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration"
        })
@ConditionalOnProperty(name = "semel.enabled", matchIfMissing = true)
@ConditionalOnClass({MeterRegistry.class, ObservationRegistry.class})
@EnableConfigurationProperties(SemelProperties.class)
public class SemelMetricsAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    Watch semelWatch(
            ObjectProvider<MeterRegistry> meters,
            ObjectProvider<ObservationRegistry> observations,
            SemelProperties properties) {
        MeterRegistry meter = meters.getIfUnique();
        ObservationRegistry observation = observations.getIfUnique();
        if (meter == null && observation == null) {
            return Watch.NONE;
        }
        // A registry that is created here has no reader; calls are still observed.
        MicrometerWatch watch = MicrometerWatch.of(meter == null ? new CompositeMeterRegistry() : meter)
                .withObservations(observation == null ? ObservationRegistry.NOOP : observation);
        return properties.expert().metricsByTenant() ? watch.withTenants() : watch;
    }
}
