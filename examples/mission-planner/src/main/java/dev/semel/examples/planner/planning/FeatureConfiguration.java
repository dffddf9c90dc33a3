package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Features;
import dev.semel.examples.planner.access.Quotas;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Registers the filter of disabled features. */
@Configuration(proxyBeanMethods = false)
class FeatureConfiguration {
    /** Behind the authentication, in front of Semel's filter. */
    private static final int SECOND = -75;

    @Bean
    FilterRegistrationBean<FeatureFilter> featureFilter(Features features, Quotas quotas, ChangeHistory trail) {
        FilterRegistrationBean<FeatureFilter> registration =
                new FilterRegistrationBean<>(new FeatureFilter(features, quotas, trail));
        registration.addUrlPatterns(FeatureFilter.ANNOUNCEMENTS);
        registration.setOrder(SECOND);
        return registration;
    }
}
