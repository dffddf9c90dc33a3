/**
 * The API for operators: everything that the command line can do, by HTTP. The table of endpoints is the one by which requests are
 * dispatched, and the OpenAPI document is made of it. The command line uses the same endpoints on a store that it opens itself.
 *
 * <p>Nothing of another tenant exists for a person of one tenant. No GET changes anything. Every action has a reason, and is written
 * into the audit in the same commit, with the person's name.
 */
@NullMarked
package dev.semel.console.admin;

import org.jspecify.annotations.NullMarked;
