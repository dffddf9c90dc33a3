// Handles the messages of the channel receipts until it is stopped by SIGTERM or Ctrl-C: SEMEL_URL and SEMEL_TOKEN say where.

import { Failure, Semel } from "./semel.mjs";

function mail(payload, message) {
  // A mail provider would get message.downstreamKey as its idempotency key: a second delivery sends no second mail.
  if (!payload.receipt) {
    throw new Failure("validation", "The message has no receipt.");
  }
  console.log("mailing", payload.receipt);
}

await new Semel(process.env.SEMEL_URL, process.env.SEMEL_TOKEN).work("receipts", mail);
console.log("stopped");
