package dev.semel.console.admin;

import dev.semel.Tenant;
import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.store.Row;
import org.jspecify.annotations.Nullable;

/**
 * What exists for a person: the records of all tenants, or of one.
 *
 * @param viewersSeePayloads whether contents are shown to people who may only look
 */
record TenantSight(Person person, boolean viewersSeePayloads) {
    /** The only tenant that exists; null when all do. */
    @Nullable
    String own() {
        Tenant tenant = person.tenant();
        return tenant == null ? null : tenant.name();
    }

    boolean seesAll() {
        return person.tenant() == null;
    }

    boolean sees(String tenant) {
        return person.tenant() == null || person.tenant().name().equals(tenant);
    }

    boolean sees(Row row) {
        return sees(row.header().tenant());
    }

    /** Whether payloads, results and answers of destinations are shown. */
    boolean seesContents() {
        return viewersSeePayloads || person.role().includes(Role.OPERATOR);
    }

    /**
     * The tenant to which a list is limited; null for none.
     *
     * @param asked null when the request names none
     * @throws ApiProblem when it is not the person's
     */
    @Nullable
    String limit(@Nullable String asked) throws ApiProblem {
        if (asked != null && !sees(Tenant.of(asked).name())) {
            throw otherTenant();
        }
        return asked == null ? own() : asked;
    }

    /**
     * To be called for what concerns all tenants.
     *
     * @throws ApiProblem when this person belongs to one
     */
    void demandAll(String what) throws ApiProblem {
        if (!seesAll()) {
            throw new ApiProblem(
                    ApiCode.ACCESS_DENIED,
                    what + " concerns all tenants, and you belong to one. Nothing was done. Ask somebody who belongs to"
                            + " none.");
        }
    }

    /** @throws ApiProblem when the person's role does not include it */
    void demand(Role needed) throws ApiProblem {
        if (!person.role().includes(needed)) {
            throw new ApiProblem(
                    ApiCode.ACCESS_DENIED,
                    "This needs the role " + needed.code() + ", and you are "
                            + person.role().code() + ". Nothing was done.");
        }
    }

    /** The same whether or not there is such a tenant. */
    static ApiProblem otherTenant() {
        return new ApiProblem(
                ApiCode.ACCESS_DENIED,
                "You belong to one tenant, and nothing of another exists for you. Name your own tenant. Nothing was done.");
    }
}
