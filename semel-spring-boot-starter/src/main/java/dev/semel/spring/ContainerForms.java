package dev.semel.spring;

import dev.semel.http.Rule;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/** The form limits of the server configuration, applied by the filter because it reads forms before the server. */
final class ContainerForms {
    private ContainerForms() {}

    static Rule.Forms of(Environment environment) {
        boolean jetty = ClassUtils.isPresent("org.eclipse.jetty.server.Server", ContainerForms.class.getClassLoader());
        return jetty
                ? forms(environment, "server.jetty.max-http-form-post-size", "server.jetty.max-form-keys")
                : forms(environment, "server.tomcat.max-http-form-post-size", "server.tomcat.max-parameter-count");
    }

    /** A negative number means no limit. */
    private static Rule.Forms forms(Environment environment, String size, String count) {
        Binder binder = Binder.get(environment);
        long bytes = binder.bind(size, DataSize.class).map(DataSize::toBytes).orElse(Rule.Forms.DEFAULT.bytes());
        int fields = binder.bind(count, Integer.class).orElse(Rule.Forms.DEFAULT.fields());
        return new Rule.Forms(
                bytes < 0 ? Long.MAX_VALUE : Math.max(1, bytes), fields < 0 ? Integer.MAX_VALUE : Math.max(1, fields));
    }
}
