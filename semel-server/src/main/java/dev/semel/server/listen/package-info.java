/**
 * Limits on connections, on how slowly requests may arrive, and on how slowly answers may be read: a slow client costs a connection and a
 * bounded number of bytes, never a thread.
 */
@org.jspecify.annotations.NullMarked
package dev.semel.server.listen;
