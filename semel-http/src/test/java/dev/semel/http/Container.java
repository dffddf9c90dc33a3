package dev.semel.http;

import dev.semel.testkit.Scratch;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.security.Principal;
import java.util.EnumSet;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A real server on a free port of loopback, started when first needed and used by one test after another: what it serves is
 * changed between them. In front of the filter stands an authentication that believes the header {@code X-User}.
 */
public enum Container {
    JETTY {
        @Override
        int start(Filter front, HttpServlet servlet) throws Exception {
            Server server = new Server();
            ServerConnector connector = new ServerConnector(server);
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            ServletContextHandler context = new ServletContextHandler();
            FilterHolder filter = new FilterHolder(front);
            filter.setAsyncSupported(true);
            context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
            ServletHolder holder = new ServletHolder(servlet);
            holder.setAsyncSupported(true);
            holder.getRegistration().setMultipartConfig(multipart());
            context.addServlet(holder, "/*");
            server.setHandler(context);
            server.start();
            return connector.getLocalPort();
        }
    },
    TOMCAT {
        @Override
        int start(Filter front, HttpServlet servlet) throws Exception {
            for (Handler each : Logger.getLogger("").getHandlers()) {
                Logger.getLogger("").removeHandler(each);
            }
            Path base = Scratch.directory("tomcat");
            Tomcat tomcat = new Tomcat();
            tomcat.setBaseDir(base.toString());
            tomcat.setPort(0);
            tomcat.getConnector().setProperty("address", "127.0.0.1");
            Context context = tomcat.addContext("", base.toString());
            FilterDef filter = new FilterDef();
            filter.setFilterName("front");
            filter.setFilter(front);
            filter.setAsyncSupported("true");
            context.addFilterDef(filter);
            FilterMap map = new FilterMap();
            map.setFilterName("front");
            map.addURLPattern("/*");
            map.setDispatcher("REQUEST");
            map.setDispatcher("ASYNC");
            context.addFilterMap(map);
            Wrapper wrapper = Tomcat.addServlet(context, "app", servlet);
            wrapper.setAsyncSupported(true);
            wrapper.setMultipartConfigElement(multipart());
            wrapper.addMapping("/*");
            tomcat.start();
            return tomcat.getConnector().getLocalPort();
        }
    };

    private volatile Filter filter = (request, response, chain) -> chain.doFilter(request, response);
    private volatile App app = (request, response) -> response.sendError(404);
    private int port;

    abstract int start(Filter front, HttpServlet servlet) throws Exception;

    private static MultipartConfigElement multipart() {
        return new MultipartConfigElement(Scratch.directory("parts").toString(), 1 << 20, 1 << 20, 1 << 10);
    }

    /** Serves this from now on, and says where. */
    public synchronized int serve(Filter idempotency, App handler) {
        filter = idempotency;
        app = handler;
        if (port == 0) {
            try {
                port = start(this::front, new HttpServlet() {
                    private static final long serialVersionUID = 1;

                    @Override
                    protected void service(HttpServletRequest request, HttpServletResponse response)
                            throws ServletException, IOException {
                        call(request, response);
                    }
                });
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return port;
    }

    private void call(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        try {
            app.handle(request, response);
        } catch (ServletException | IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    /** Alice is known; whoever is revoked is not let in. */
    private void front(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest http = (HttpServletRequest) request;
        String user = http.getHeader("X-User");
        if ("revoked".equals(user)) {
            ((HttpServletResponse) response).sendError(403);
            return;
        }
        filter.doFilter(user == null || isInside(http) ? http : new Authenticated(http, user), response, chain);
    }

    private static boolean isInside(HttpServletRequest request) {
        return request.getDispatcherType() != DispatcherType.REQUEST;
    }

    private static final class Authenticated extends HttpServletRequestWrapper {
        private final String user;

        Authenticated(HttpServletRequest request, String user) {
            super(request);
            this.user = user;
        }

        @Override
        public Principal getUserPrincipal() {
            return () -> user;
        }
    }
}
