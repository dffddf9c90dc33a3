package dev.semel.console.admin;

import dev.semel.console.rest.ProblemKind;

/** Why an operator's request was not carried out, beside the codes of all requests. The codes are public and stable. */
public enum AdminCode implements ProblemKind {
    ACTION_REFUSED("action.refused", 409, "The action was refused; nothing was changed"),
    RELOAD_REJECTED("server.reload_rejected", 409, "The configuration was rejected; the one in use stays");

    private final String code;
    private final int status;
    private final String title;

    AdminCode(String code, int status, String title) {
        this.code = code;
        this.status = status;
        this.title = title;
    }

    @Override
    public String code() {
        return code;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public String title() {
        return title;
    }
}
