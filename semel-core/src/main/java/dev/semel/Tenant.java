package dev.semel;

/**
 * The isolation boundary: an organisation, an account. Part of every record's identity, so equal keys of two tenants never
 * meet.
 *
 * @param name 1 to 255 characters, compared as they are
 */
public record Tenant(String name) implements Comparable<Tenant> {
    /** For a service that has one tenant only. */
    public static final Tenant SINGLE = new Tenant("default");

    public Tenant {
        Text.checkName("tenant", name, 255);
    }

    /** @throws SemelException.Invalid when the name is empty, too long or has control characters */
    public static Tenant of(String name) {
        return new Tenant(name);
    }

    @Override
    public int compareTo(Tenant other) {
        return name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name;
    }
}
