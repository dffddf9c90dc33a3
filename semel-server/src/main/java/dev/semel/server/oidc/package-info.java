/** Operators who come with a token of an identity provider (OpenID Connect): its keys, the checks of a token, and what its claims allow. */
@NullMarked
package dev.semel.server.oidc;

import org.jspecify.annotations.NullMarked;
