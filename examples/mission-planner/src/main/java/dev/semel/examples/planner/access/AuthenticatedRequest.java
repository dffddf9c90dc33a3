package dev.semel.examples.planner.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;

/** A request whose caller is known. */
final class AuthenticatedRequest extends HttpServletRequestWrapper {
    private static final String CALLER = Caller.class.getName();

    private final Caller caller;

    AuthenticatedRequest(HttpServletRequest request, Caller caller) {
        super(request);
        this.caller = caller;
        // The tenant resolver sees the request without this wrapper.
        request.setAttribute(CALLER, caller);
    }

    /** The name of the request attribute that holds the caller. */
    static String attribute() {
        return CALLER;
    }

    @Override
    public Principal getUserPrincipal() {
        return caller;
    }

    @Override
    public String getRemoteUser() {
        return caller.getName();
    }

    @Override
    public boolean isUserInRole(String role) {
        return caller.role().name().equals(role);
    }
}
