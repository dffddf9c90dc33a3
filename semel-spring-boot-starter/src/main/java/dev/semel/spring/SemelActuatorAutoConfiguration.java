package dev.semel.spring;

import dev.semel.operator.Operator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Semel in the Actuator: the health indicator and the endpoint {@code semel}. */
@AutoConfiguration(after = SemelAutoConfiguration.class)
@ConditionalOnBean(EngineOpener.OpenedEngine.class)
public class SemelActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class Health {
        @Bean
        @ConditionalOnEnabledHealthIndicator("semel")
        @ConditionalOnMissingBean(name = "semelHealthIndicator")
        HealthIndicator semelHealthIndicator(EngineOpener.OpenedEngine opened) {
            return new SemelHealth(
                    new LedgerStatus(opened.store(), opened.engine().operator()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = {HealthOfBoot3.INDICATOR, HealthOfBoot3.HEALTH})
    @Import(HealthOfBoot3.Registrar.class)
    static class OlderHealth {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class Actions {
        @Bean
        @ConditionalOnAvailableEndpoint
        @ConditionalOnMissingBean
        SemelEndpoint semelEndpoint(
                EngineOpener.OpenedEngine opened, Operator operator, ObjectProvider<RouteLines> routes) {
            return new SemelEndpoint(opened.store(), operator, routes.getIfAvailable(RouteLines::new));
        }
    }
}
