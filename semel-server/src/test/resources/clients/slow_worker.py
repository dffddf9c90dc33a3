"""Writes the key of each message into a file, as its effect. With HANG it stays in the third message until it is killed."""

import os
import sys
import time

from semel import Semel

done = 0


def effect(payload, message):
    global done
    with open(sys.argv[1], "a") as log:
        log.write(message.key + "\n")
    done += 1
    while os.environ["HANG"] and done == 3:
        time.sleep(0.05)


Semel(os.environ["SEMEL_URL"], os.environ["SEMEL_TOKEN"]).work("jobs", effect, lease=2, wait=1)
