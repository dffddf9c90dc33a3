"""Charges each order once, however often this program is run: SEMEL_URL and SEMEL_TOKEN say where."""

import os
import sys

from semel import Semel


def charge(payload, run):
    # A payment provider would get run.downstream_key as its idempotency key.
    print("charging", payload["amount"], file=sys.stderr)
    return {"receipt": "r-" + payload["order"]}


semel = Semel(os.environ["SEMEL_URL"], os.environ["SEMEL_TOKEN"])
order = sys.argv[1]
receipt = semel.run_once("charge", "order-" + order, {"order": order, "amount": 12}, charge)
semel.send("receipts", "receipt-" + order, receipt, lane="customer-7")
print(receipt["receipt"])
