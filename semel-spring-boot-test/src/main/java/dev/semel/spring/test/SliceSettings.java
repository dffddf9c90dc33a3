package dev.semel.spring.test;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** In tests with {@link AutoConfigureSemel} no results are cached in memory, where a reset of the ledger would not remove them. */
record SliceSettings() implements ContextCustomizer {
    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(
                        new MapPropertySource(SliceSettings.class.getName(), Map.of("semel.tuning.local-cache", "0")));
    }

    /** Found by Spring. */
    static final class Factory implements ContextCustomizerFactory {
        @Override
        public @Nullable ContextCustomizer createContextCustomizer(
                Class<?> test, List<ContextConfigurationAttributes> attributes) {
            return TestContextAnnotationUtils.hasAnnotation(test, AutoConfigureSemel.class)
                    ? new SliceSettings()
                    : null;
        }
    }
}
