package dev.semel.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.concurrent.ConcurrentTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Observes work that a request's handler submits to Spring's executors, also by {@code @Async} methods. The executor keeps its type
 * and the decorator of the application.
 */
final class WatchedExecutors implements BeanPostProcessor, PriorityOrdered {
    private static final String DECORATOR = "taskDecorator";

    private final ConnectionWatch watch;

    WatchedExecutors(ConnectionWatch watch) {
        this.watch = watch;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    /** Runs before the threads exist: a pool reads its decorator once. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof ThreadPoolTaskExecutor pool) {
            pool.setTaskDecorator(telling(name, decorator(pool)));
        } else if (bean instanceof SimpleAsyncTaskExecutor executor) {
            executor.setTaskDecorator(telling(name, decorator(executor)));
        } else if (bean instanceof ThreadPoolTaskScheduler scheduler) {
            scheduler.setTaskDecorator(telling(name, decorator(scheduler)));
        } else if (bean instanceof ConcurrentTaskExecutor executor) {
            executor.setTaskDecorator(telling(name, decorator(executor)));
        }
        return bean;
    }

    /** Reads the field, because there is only a setter. */
    private static @Nullable TaskDecorator decorator(Object executor) {
        DirectFieldAccessor fields = new DirectFieldAccessor(executor);
        return fields.isReadableProperty(DECORATOR) ? (TaskDecorator) fields.getPropertyValue(DECORATOR) : null;
    }

    private TaskDecorator telling(String name, @Nullable TaskDecorator own) {
        return task -> {
            watch.handedOn(name);
            return own == null ? task : own.decorate(task);
        };
    }
}
