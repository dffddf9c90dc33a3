"""Checks of the Python client against a server: each prints its name when it holds."""

import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from semel import BatchIncomplete, Failure, Semel, SemelError

url, token = os.environ["SEMEL_URL"], os.environ["SEMEL_TOKEN"]
semel = Semel(url, token)
calls = []


def counting(payload, run):
    calls.append(run.attempt)
    return {"sum": payload["a"] + payload["b"]}


def runs_once():
    first = semel.run_once("add", "k-1", {"a": 1, "b": 2}, counting)
    second = semel.run_once("add", "k-1", {"a": 1, "b": 2}, counting)
    return first == second == {"sum": 3} and calls == [1]


def conflict_is_raised():
    try:
        semel.run_once("add", "k-1", {"a": 7, "b": 2}, counting)
    except SemelError as e:
        return e.code == "idempotency.payload_mismatch" and len(calls) == 1
    return False


def failure_is_retried():
    attempts = []

    def flaky(payload, run):
        attempts.append(run.attempt)
        if len(attempts) == 1:
            raise Failure("network", "connection refused", retryable=True)
        return "done"

    try:
        semel.run_once("flaky", "k-1", None, flaky)
        return False
    except Failure:
        pass
    return semel.run_once("flaky", "k-1", None, flaky) == "done" and attempts == [1, 2]


def unexpected_error_is_unknown():
    def broken(payload, run):
        raise ValueError("unexpected")

    try:
        semel.run_once("broken", "k-1", None, broken)
    except ValueError:
        return semel.find("broken", "k-1")["state"] == "UNKNOWN"
    return False


def lease_is_renewed():
    def slow(payload, run):
        time.sleep(2.5)
        return run.lost

    return semel.run_once("slow", "k-1", None, slow, lease=1, repeatable=True) is False


def finished_step_is_replayed():
    paid, mailed = [], []

    def mail(key):
        mailed.append(key)
        if len(mailed) == 1:
            raise Failure("network", "connection refused", retryable=True)
        return "mailed"

    def work(payload, run):
        run.step("pay", paid.append)
        return run.step("mail", mail)

    try:
        semel.run_once("stepwise", "k-1", None, work)
        return False
    except Failure:
        pass
    result = semel.run_once("stepwise", "k-1", None, work)
    return result == "mailed" and len(paid) == 1 and mailed[0] == mailed[1] != paid[0]


def concurrent_callers_share_one_run():
    ran, results = [], []

    def work(payload, run):
        ran.append(1)
        time.sleep(0.2)
        return "shared"

    threads = [
        threading.Thread(target=lambda: results.append(semel.run_once("shared", "k-1", None, work))) for _ in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return results == ["shared"] * 8 and len(ran) == 1


def messages_are_sent():
    one = semel.send("mail", "m-1", {"to": "ann"}, lane="ann")
    many = semel.send_all("mail", [{"key": "m-1", "payload": {"to": "ann"}, "lane": "ann"}, {"key": "m-2", "payload": 2}])
    return one["outcome"] in ("accepted", "duplicate") and [each["outcome"] for each in many][0] == "duplicate"


def batch_that_broke_off_is_raised():
    messages = [{"key": "b-1", "payload": 1}, {"key": "b-2", "payload": "x" * (2 << 20)}, {"key": "b-3", "payload": 3}]
    try:
        semel.send_all("mail", messages)
    except BatchIncomplete as e:
        return e.code == "request.too_large" and [each["line"] for each in e.answers] == [1]
    return False


def worker_handles_each_message_once_and_lanes_in_order():
    for n in range(6):
        semel.send("jobs", f"j-{n}", {"n": n}, lane=f"lane-{n % 2}")
    stop, failed, handled = threading.Event(), [], []

    def handle(payload, message):
        if payload["n"] == 2 and not failed:
            failed.append(message.attempt)
            raise Failure("network", "connection refused")
        handled.append(payload["n"])
        if len(handled) == 6:
            stop.set()

    semel.work("jobs", handle, wait=1, stop=stop)
    return sorted(handled, key=lambda n: (n % 2, handled.index(n))) == [0, 2, 4, 1, 3, 5]


def worker_hands_back_what_it_has_not_begun():
    for n in range(3):
        semel.send("rest", f"r-{n}", n)
    stop, handled = threading.Event(), []

    def handle(payload, message):
        handled.append(payload)
        stop.set()

    semel.work("rest", handle, wait=1, stop=stop)
    left = semel._persist(lambda: semel.claim("rest", 10, claim_id="rest-0123456789ab"))["messages"]
    return len(handled) == 1 and [each["attempt"] for each in left] == [1, 1]


def worker_renews_its_leases():
    semel.send("slow-jobs", "s-1", 1)
    stop, lost = threading.Event(), []

    def handle(payload, message):
        time.sleep(2.5)
        lost.append(message.lost)
        stop.set()

    semel.work("slow-jobs", handle, lease=1, wait=1, stop=stop)
    return lost == [False]


def absent_call_is_none():
    return semel.find("add", "never") is None


def retry_after_is_obeyed():
    times = []

    class Later(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            times.append(time.monotonic())
            body = b'{"code":"idempotency.store_unavailable"}' if len(times) == 1 else b'{"outcome":"accepted"}'
            self.send_response(503 if len(times) == 1 else 202)
            if len(times) == 1:
                self.send_header("Retry-After", "1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Later)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Semel("http://127.0.0.1:" + str(server.server_port), "t").send("mail", "m", 1)
    server.shutdown()
    return len(times) == 2 and times[1] - times[0] >= 1


for check in (
    runs_once,
    conflict_is_raised,
    failure_is_retried,
    unexpected_error_is_unknown,
    lease_is_renewed,
    finished_step_is_replayed,
    concurrent_callers_share_one_run,
    messages_are_sent,
    batch_that_broke_off_is_raised,
    worker_handles_each_message_once_and_lanes_in_order,
    worker_hands_back_what_it_has_not_begun,
    worker_renews_its_leases,
    absent_call_is_none,
    retry_after_is_obeyed,
):
    if not check():
        sys.exit(check.__name__ + " does not hold")
    print(check.__name__)
