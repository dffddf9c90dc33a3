/**
 * One run of one record. Every direct call takes five steps: prepare, admit, grant, invoke, settle. Start reading at
 * {@link dev.semel.execution.CallPipeline}; the kinds of calls differ only in how they grant and how they settle:
 * {@link dev.semel.execution.AtomicCalls}, {@link dev.semel.execution.LeasedCalls},
 * {@link dev.semel.execution.JoinedRun}, {@link dev.semel.execution.AtomicBatch}, {@link dev.semel.execution.LeasedBatch},
 * {@link dev.semel.execution.GatewayRuns}, and {@link dev.semel.execution.ClaimedDelivery} for messages.
 */
@NullMarked
package dev.semel.execution;

import org.jspecify.annotations.NullMarked;
