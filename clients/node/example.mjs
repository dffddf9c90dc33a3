// Charges each order once, however often this program is run: SEMEL_URL and SEMEL_TOKEN say where.

import { Semel } from "./semel.mjs";

function charge(payload, run) {
  // A payment provider would get run.downstreamKey as its idempotency key.
  console.error("charging", payload.amount);
  return { receipt: "r-" + payload.order };
}

const semel = new Semel(process.env.SEMEL_URL, process.env.SEMEL_TOKEN);
const order = process.argv[2];
const receipt = await semel.runOnce("charge", "order-" + order, { order, amount: 12 }, charge);
await semel.send("receipts", "receipt-" + order, receipt, { lane: "customer-7" });
console.log(receipt.receipt);
