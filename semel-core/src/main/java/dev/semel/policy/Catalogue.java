package dev.semel.policy;

import dev.semel.Policy;
import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The policies by name: those that ship, and those that code or configuration adds or puts in their place. Immutable.
 *
 * <p>Configuration is flat: {@code semel.policy.<name>.<setting>=<value>}. A name that is in the catalogue is changed; a new one
 * must say what it starts from, so that a misspelt name is not taken for a new policy.
 *
 * <pre>
 * semel.policy.crm.writeback.max-attempts = 9
 * semel.policy.orders.extends             = worker.job
 * semel.policy.orders.backoff             = exp 250ms x2 cap 30s | list 1s,3s | none
 * semel.policy.orders.jitter              = full | none | bounded 0.1 | equal | decorrelated
 * semel.policy.orders.attempt-timeout     = 30s           (also max-retry-after, lease, deadline; deadline = none)
 * semel.policy.orders.redelivery          = 3d            (how long its transport may deliver again; none)
 * semel.policy.orders.retention           = payments      (also retention-success, retention-failure, retention-dead-letters)
 * semel.policy.orders.repeatable          = true          (also store-failures, dead-letters)
 * semel.policy.orders.dead-head           = continue | park-lane
 * semel.policy.orders.retry-on            = com.acme.Busy network, com.acme.Later    (also fail-on)
 * </pre>
 *
 * Names are relaxed: case, dashes and underscores do not count, and a dot may stand for a dash, so that environment variables can
 * write them ({@code SEMEL_POLICY_CRM_WRITEBACK_MAXATTEMPTS}).
 *
 * Durations are a number with {@code ms}, {@code s}, {@code m}, {@code h} or {@code d}, or ISO 8601 ({@code PT30S}).
 */
public final class Catalogue {
    private static final Catalogue SHIPPED = new Catalogue(byName(Policy.shipped()));

    private final Map<String, Policy> policies;

    private Catalogue(Map<String, Policy> policies) {
        this.policies = Collections.unmodifiableMap(policies);
    }

    /** The entries that ship, and nothing else. */
    public static Catalogue shipped() {
        return SHIPPED;
    }

    /**
     * The shipped entries as configuration changes them.
     *
     * @throws SemelException.Misconfigured naming every fault of the configuration
     */
    public static Catalogue fromProperties(Map<String, String> properties) {
        return SHIPPED.withProperties(properties);
    }

    /**
     * This catalogue with these policies added, or put in the place of those of the same name.
     *
     * @throws SemelException.Misconfigured when two are given for one name, or two names share a code
     */
    public Catalogue with(Collection<Policy> more) {
        var faults = new ArrayList<String>();
        var given = new HashMap<String, Policy>();
        for (Policy policy : more) {
            if (given.put(policy.name(), policy) != null) {
                faults.add("policy " + policy.name() + " is given twice: keep one of the two");
            }
        }
        var all = new LinkedHashMap<>(policies);
        more.forEach(policy -> all.put(policy.name(), policy));
        faults.addAll(sharedCodes(all.values()));
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("policies", faults);
        }
        return new Catalogue(all);
    }

    /**
     * This catalogue as configuration changes it. Keys that do not begin with {@code semel.policy.} are somebody else's.
     *
     * @throws SemelException.Misconfigured naming every fault of the configuration
     */
    public Catalogue withProperties(Map<String, String> properties) {
        return with(new PolicySettings(this).read(properties));
    }

    public Optional<Policy> find(String name) {
        return Optional.ofNullable(policies.get(name));
    }

    /** @throws SemelException.Misconfigured when there is none of that name, with the names that come near */
    public Policy get(String name) {
        return find(name).orElseThrow(() -> new SemelException.Misconfigured("policy " + name, List.of(unknown(name))));
    }

    /**
     * The policy that an operation has. One that it carries is used as it is, unless settings or configuration give another of its
     * name: they are the operator's, and win over code.
     *
     * @throws SemelException.Misconfigured when it is chosen by name, and there is none of that name
     */
    public Policy get(Policy.Choice choice) {
        Policy carried = choice.carried();
        if (carried == null) {
            return get(choice.name());
        }
        Policy named = policies.get(choice.name());
        boolean untouched = named == null || named == SHIPPED.policies.get(choice.name());
        return untouched ? carried : named;
    }

    /** The names, in the order of the catalogue. */
    public Set<String> names() {
        return policies.keySet();
    }

    /** Why a name is refused, and which ones come near. */
    String unknown(String name) {
        return "there is no policy of that name" + Suggestions.sentence(name, names());
    }

    private static Map<String, Policy> byName(Collection<Policy> policies) {
        var map = new LinkedHashMap<String, Policy>();
        policies.forEach(policy -> map.put(policy.name(), policy));
        return map;
    }

    private static List<String> sharedCodes(Collection<Policy> policies) {
        var faults = new ArrayList<String>();
        var codes = new HashMap<String, String>();
        for (Policy policy : policies) {
            String other = codes.putIfAbsent(policy.code(), policy.name());
            if (other != null) {
                faults.add("policies " + other + " and " + policy.name() + " share the code " + policy.code()
                        + " of audit and metrics: rename one of them");
            }
        }
        return faults;
    }
}
