"""Handles the messages of the channel receipts until it is stopped by SIGTERM or Ctrl-C: SEMEL_URL and SEMEL_TOKEN say where."""

import os

from semel import Failure, Semel


def mail(payload, message):
    # A mail provider would get message.downstream_key as its idempotency key: a second delivery sends no second mail.
    if "receipt" not in payload:
        raise Failure("validation", "The message has no receipt.")
    print("mailing", payload["receipt"], flush=True)


Semel(os.environ["SEMEL_URL"], os.environ["SEMEL_TOKEN"]).work("receipts", mail)
print("stopped", flush=True)
