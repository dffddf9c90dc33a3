package dev.semel.spring.test;

import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.AnnotationMetadata;

/** Puts the ledger into memory in a slice without a data source, before Semel's own configuration looks for its store. */
final class SliceStore implements ImportBeanDefinitionRegistrar {
    /** Tells the other beans of the slice. Not a property for users. */
    static final String IN_MEMORY = SliceStore.class.getName() + ".in-memory";

    private static final String STORE = "semel.store";

    private final Environment environment;
    private final BeanFactory beans;

    SliceStore(Environment environment, BeanFactory beans) {
        this.environment = environment;
        this.beans = beans;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        if (environment instanceof ConfigurableEnvironment configurable
                && !environment.containsProperty(STORE)
                && beans instanceof ListableBeanFactory all
                && all.getBeanNamesForType(DataSource.class, true, false).length == 0) {
            configurable
                    .getPropertySources()
                    .addFirst(new MapPropertySource(
                            SliceStore.class.getName(),
                            Map.of(STORE, "memory:", "semel.http.level", "plain", IN_MEMORY, "true")));
        }
    }
}
