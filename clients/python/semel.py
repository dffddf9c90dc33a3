"""A client of the Semel HTTP API. Standard library only; Python 3.9 or later.

    semel = Semel("https://semel.example", token)
    receipt = semel.run_once("charge", "order-17", {"amount": 12}, lambda payload, run: charge(payload, run.downstream_key))
    semel.work("receipts", lambda payload, message: mail(payload, message.downstream_key))

Every request is repeated with the same key while the server or the ledger cannot be reached, and not before the time that
the server asks for in Retry-After.
"""

import contextlib
import json
import logging
import random
import signal
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

_LOG = logging.getLogger("semel")
_RETRIED = {
    "idempotency.in_progress",
    "idempotency.retry_later",
    "idempotency.store_unavailable",
    "operation.halted",
    "operation.breaker_open",
    "request.rate_limited",
}


class SemelError(Exception):
    """The server answered with a problem, or could not be reached. `code` is stable: "idempotency.payload_mismatch"."""

    def __init__(self, code, detail, status=0, retry_after=None, problem=None):
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        self.problem = problem or {}

    @property
    def retryable(self):
        """Whether the same request may succeed later."""
        return self.status == 0 or self.status >= 502 or self.code in _RETRIED


class BatchIncomplete(SemelError):
    """A batch of messages broke off. `answers` are those of the lines before; send all again, those that were stored are duplicates."""

    def __init__(self, code, detail, answers):
        super().__init__(code, detail, 200)
        self.answers = answers


class Failure(Exception):
    """Raised by a function of run_once or work to say what went wrong.

    category: network, timeout, rate_limited, upstream_error, auth, validation, not_found, business_rule, ...
    retryable: True if nothing took effect and it may be tried again, False if it must not be, None to let the category decide.
    """

    def __init__(self, category, reason, retryable=None, retry_after=None):
        super().__init__(f"{category}: {reason}")
        self.category = category
        self.reason = reason
        self.retryable = retryable
        self.retry_after = retry_after

    def fields(self):
        fields = {"category": self.category, "reason": self.reason}
        if self.retryable is not None:
            fields["retryable"] = self.retryable
        if self.retry_after is not None:
            fields["retry_after"] = self.retry_after
        return fields


class Run:
    """A run that was granted: what identifies it, and the key to hand to downstream services."""

    def __init__(self, semel, operation, granted):
        self._semel = semel
        self._operation = operation
        self.record = granted["record"]
        self.fence = granted["fence"]
        self.attempt = granted["attempt"]
        self.downstream_key = granted["downstream_key"]
        self.correlation_id = granted.get("correlation_id")
        self._lost = threading.Event()

    @property
    def lost(self):
        """Whether another run has the record. A long function checks this before each effect."""
        return self._lost.is_set()

    def handle(self):
        return {"record": self.record, "fence": self.fence}

    def step(self, name, function, repeatable=False):
        """Calls function(downstream_key) unless an earlier run has finished this step, and returns its result.

        A step that was interrupted is not run again unless it is repeatable: the call is UNKNOWN then.
        """
        semel, path = self._semel, _path("operations", self._operation, "steps", name)
        terms = dict(self.handle(), repeatable=repeatable, begin_id=str(uuid.uuid4()))
        answer = semel._persist(lambda: semel._post(path + "/begin", terms))
        if answer["outcome"] == "replayed":
            return answer["result"]
        own = dict(self.handle(), step_fence=answer["step_fence"])
        try:
            result = function(answer["downstream_key"])
        except BaseException as e:
            failure = _failure(e)
            semel._tell(lambda: semel._post(path + "/fail", dict(own, repeatable=repeatable, **failure.fields())))
            raise
        semel._persist(lambda: semel._post(path + "/finish", dict(own, result=result)))
        return result


class Message:
    """A message that was granted: its payload, what identifies it, and the key to hand to downstream services."""

    def __init__(self, granted):
        self.record = granted["record"]
        self.fence = granted["fence"]
        self.key = granted["key"]
        self.payload = granted["payload"]
        self.lane = granted.get("lane")
        self.attempt = granted["attempt"]
        self.downstream_key = granted["downstream_key"]
        self.correlation_id = granted.get("correlation_id")
        self._lost = threading.Event()
        self._ended = False

    @property
    def lost(self):
        """Whether another worker has the message. A long function checks this before each effect."""
        return self._lost.is_set()

    def handle(self):
        return {"record": self.record, "fence": self.fence}


class Semel:
    """patience: for how many seconds a call is repeated. timeout: of one request, in seconds. Thread-safe."""

    def __init__(self, url, token, patience=60.0, timeout=30.0):
        self._url = url.rstrip("/") + "/api/v1"
        self._token = token
        self._patience = patience
        self._timeout = timeout

    # One request for each method; see the API page.

    def begin(self, operation, key, payload=None, lease=None, wait=None, repeatable=None, begin_id=None, correlation_id=None):
        body = {"key": key, "payload": payload}
        _put(body, lease=lease, wait=wait, repeatable=repeatable, begin_id=begin_id)
        return self._post(_path("operations", operation, "begin"), body, correlation_id)

    def renew(self, operation, run, lease=None):
        return self._post(_path("operations", operation, "renew"), _put(run.handle(), lease=lease))

    def finish(self, operation, run, result=None):
        return self._post(_path("operations", operation, "finish"), dict(run.handle(), result=result))

    def fail(self, operation, run, failure):
        return self._post(_path("operations", operation, "fail"), dict(run.handle(), **failure.fields()))

    def find(self, operation, key):
        """The status of a call; None when there is none."""
        try:
            path = _path("operations", operation) + "?" + urllib.parse.urlencode({"key": key})
            return self._persist(lambda: self._request("GET", path))
        except SemelError as e:
            if e.code == "idempotency.not_found":
                return None
            raise

    def send(self, channel, key, payload=None, lane=None, delay=None, deadline=None, correlation_id=None):
        """Sends a message; repeated under the same key until the server has it."""
        body = _put({"key": key, "payload": payload}, lane=lane, delay=delay, deadline=deadline)
        return self._persist(lambda: self._post(_path("channels", channel, "messages"), body, correlation_id))

    def send_all(self, channel, messages):
        """Sends many messages, each a dict with key, payload and the options of send. Returns one answer for each.

        Raises BatchIncomplete, with the answers so far, if the server could not take all of them.
        """
        messages = list(messages)
        lines = "".join(json.dumps(each) + "\n" for each in messages).encode()
        path = _path("channels", channel, "messages")
        return self._persist(
            lambda: _complete(self._request("POST", path, lines, "application/x-ndjson"), len(messages))
        )

    # Messages, several in one request; each has its own answer. See the API page.

    def claim(self, channel, max=None, lease=None, wait=None, claim_id=None):
        """One request: the answer, whose "messages" may be made Message(...)."""
        return self._post(_path("channels", channel, "claim"), _put({}, max=max, lease=lease, wait=wait, claim_id=claim_id))

    def renew_messages(self, channel, messages, lease=None):
        return self._end(channel, "renew", [each.handle() for each in messages], lease=lease)

    def finish_messages(self, channel, messages):
        return self._end(channel, "finish", [each.handle() for each in messages])

    def fail_messages(self, channel, failures):
        """failures: pairs of a Message and a Failure."""
        return self._end(channel, "fail", [dict(each.handle(), **failure.fields()) for each, failure in failures])

    def release_messages(self, channel, messages):
        """Hands messages back that were not begun: no attempt is spent."""
        return self._end(channel, "release", [each.handle() for each in messages])

    def _end(self, channel, action, messages, **more):
        answers = self._post(_path("channels", channel, action), _put({"messages": messages}, **more))["messages"]
        for each in answers:
            if each.get("code") in _RETRIED:
                raise SemelError(each["code"], each["detail"], 503)
        return answers

    def work(self, channel, function, lease=30, batch=10, wait=5, stop=None):
        """Claims messages and calls function(payload, message) for each, one after the other, until it is told to stop.

        The leases, in seconds, are renewed in the background. A function that raises Failure says what went wrong; any other
        exception is reported as unknown. The channel's policy decides what follows.

        stop: a threading.Event that ends the loop. Without one, SIGTERM and SIGINT do, if this is the main thread. The message
        that is being handled is finished, the others are handed back. An idle worker stops within `wait` seconds.
        """
        with _stopped_by_signals(stop) as stop:
            claim_id = str(uuid.uuid4())
            pause = 0.5
            while not stop.is_set():
                begun = time.monotonic()
                try:
                    answer = self.claim(channel, batch, f"{lease}s", f"{wait}s", claim_id)
                except SemelError as e:
                    if not e.retryable:
                        raise
                    # Under the same id: what was granted is found again.
                    _LOG.warning("claiming from %s failed (%s); retrying", channel, e)
                    stop.wait(e.retry_after if e.retry_after is not None else pause * (0.5 + random.random()))
                    pause = min(pause * 2, 10.0)
                    continue
                pause = 0.5
                claim_id = str(uuid.uuid4())
                messages = [Message(each) for each in answer["messages"]]
                if messages:
                    self._handle(channel, messages, function, lease, stop)
                elif time.monotonic() - begun < wait:
                    # The server did not wait: too many others do.
                    stop.wait(answer.get("retry_after_ms", 1000) / 1000)

    def _handle(self, channel, messages, function, lease, stop):
        ended = threading.Event()
        renewing = threading.Thread(target=self._keep_messages, args=(channel, messages, lease, ended), daemon=True)
        renewing.start()
        skipped = set()
        try:
            for message in messages:
                if stop.is_set():
                    break
                if message.lost or message.lane in skipped:
                    if message.lane is not None:
                        skipped.add(message.lane)  # those behind it are somebody else's, too
                    continue
                if not self._handle_one(channel, message, function) and message.lane is not None:
                    skipped.add(message.lane)
        finally:
            ended.set()
            renewing.join()
            rest = [each for each in messages if not each._ended and not each.lost]
            if rest:
                self._tell(lambda: self.release_messages(channel, rest))

    def _handle_one(self, channel, message, function):
        """Whether the messages behind it in its lane may follow."""
        try:
            function(message.payload, message)
        except BaseException as e:
            failure = _failure(e)
            _LOG.warning("%s/%s failed: %s", channel, message.record[:12], failure)
            message._ended = True
            self._tell(lambda: self.fail_messages(channel, [(message, failure)]))
            if not isinstance(e, Exception):
                raise
            return False
        message._ended = True
        try:
            answer = self._persist(lambda: self.finish_messages(channel, [message]))[0]
        except SemelError as e:
            _LOG.warning("could not finish %s/%s (%s); it will be handled again", channel, message.record[:12], e)
            return False
        if answer["outcome"] != "recorded":
            _LOG.warning("could not finish %s/%s: %s", channel, message.record[:12], answer["detail"])
        return answer["outcome"] == "recorded"

    def _keep_messages(self, channel, messages, lease, ended):
        while not ended.wait(lease / 3):
            held = [each for each in messages if not each._ended and not each.lost]
            if not held:
                return
            try:
                for message, answer in zip(held, self.renew_messages(channel, held, f"{lease}s")):
                    if answer["outcome"] != "renewed":
                        message._lost.set()
            except SemelError as e:
                _LOG.warning("renewing leases of %s failed (%s); retrying", channel, e)

    def run_once(self, operation, key, payload, function, lease=30, repeatable=False, correlation_id=None):
        """Calls function(payload, run) unless it has been called for this key before, and returns its result.

        The lease, in seconds, is renewed in the background while the function runs. A function that raises Failure says what
        went wrong; after any other exception the call is UNKNOWN unless it is repeatable. The exception is raised again.
        """
        begin_id = str(uuid.uuid4())
        answer = self._persist(
            lambda: self.begin(operation, key, payload, f"{lease}s", "5s", repeatable, begin_id, correlation_id)
        )
        if answer["outcome"] == "replayed":
            return answer["result"]
        run = Run(self, operation, answer)
        ended = threading.Event()
        renewing = threading.Thread(target=self._keep, args=(operation, run, lease, ended), daemon=True)
        renewing.start()
        try:
            try:
                result = function(payload, run)
            except BaseException as e:
                failure = _failure(e)
                self._tell(lambda: self.fail(operation, run, failure))
                raise
            end = self._persist(lambda: self.finish(operation, run, result))
            return end["result"] if end["outcome"] == "ended_before" else result
        finally:
            ended.set()
            renewing.join()

    def _keep(self, operation, run, lease, ended):
        while not ended.wait(lease / 3):
            try:
                self.renew(operation, run, f"{lease}s")
            except SemelError as e:
                if e.code == "lease.lost":
                    run._lost.set()
                    return

    def _tell(self, request):
        """Says that something failed. If that cannot be said, the lease expires and says it."""
        try:
            self._persist(request)
        except SemelError:
            pass

    def _persist(self, request):
        """Repeats a request while it may succeed later, within the patience of this client."""
        until = time.monotonic() + self._patience
        pause = 0.1
        while True:
            try:
                return request()
            except SemelError as e:
                wait = e.retry_after if e.retry_after is not None else pause * (0.5 + random.random())
                if not e.retryable or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            pause = min(pause * 2, 5.0)

    def _post(self, path, body, correlation_id=None):
        return self._request("POST", path, json.dumps(body).encode(), "application/json", correlation_id)

    def _request(self, method, path, body=None, content_type=None, correlation_id=None):
        request = urllib.request.Request(self._url + path, data=body, method=method)
        request.add_header("Authorization", "Bearer " + self._token)
        if content_type is not None:
            request.add_header("Content-Type", content_type)
        if correlation_id is not None:
            request.add_header("X-Correlation-ID", correlation_id)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                text = response.read().decode()
                return text if content_type == "application/x-ndjson" else json.loads(text)
        except urllib.error.HTTPError as e:
            raise _problem(e) from None
        except (urllib.error.URLError, socket.timeout, ConnectionError, ValueError) as e:
            raise SemelError("connection.failed", str(e)) from e


@contextlib.contextmanager
def _stopped_by_signals(stop):
    if stop is not None or threading.current_thread() is not threading.main_thread():
        yield stop if stop is not None else threading.Event()
        return
    stop = threading.Event()
    before = {each: signal.signal(each, lambda number, frame: stop.set()) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _failure(thrown):
    return thrown if isinstance(thrown, Failure) else Failure("unknown", f"{type(thrown).__name__}: {thrown}")


def _problem(error):
    try:
        problem = json.loads(error.read().decode())
    except (OSError, ValueError):
        problem = {}
    after = error.headers.get("Retry-After")
    return SemelError(
        problem.get("code", "http." + str(error.code)),
        problem.get("detail", str(error.reason)),
        error.code,
        float(after) if after is not None and after.isdigit() else None,
        problem,
    )


def _complete(text, expected):
    """One answer for each message."""
    answers = [json.loads(line) for line in text.split("\n") if line]
    if answers and answers[-1].get("incomplete"):
        last = answers.pop()
        raise BatchIncomplete(last["code"], last["detail"], answers)
    if len(answers) != expected:
        detail = f"The server answered {len(answers)} of {expected} messages. Send all of them again."
        raise BatchIncomplete("batch.incomplete", detail, answers)
    return answers


def _put(body, **values):
    body.update({name: value for name, value in values.items() if value is not None})
    return body


def _path(*parts):
    return "/" + "/".join(urllib.parse.quote(part, safe="") for part in parts)
