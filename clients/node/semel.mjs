// A client of the Semel HTTP API. No dependencies; Node 18 or later.
//
//     const semel = new Semel("https://semel.example", token);
//     const receipt = await semel.runOnce("charge", "order-17", { amount: 12 }, (payload, run) => charge(payload, run.downstreamKey));
//     await semel.work("receipts", (payload, message) => mail(payload, message.downstreamKey));
//
// Every request is repeated with the same key while the server or the ledger cannot be reached, and not before the time that the
// server asks for in Retry-After.

import { randomUUID } from "node:crypto";

const RETRIED = new Set([
  "idempotency.in_progress",
  "idempotency.retry_later",
  "idempotency.store_unavailable",
  "operation.halted",
  "operation.breaker_open",
  "request.rate_limited",
]);

/** The server answered with a problem, or could not be reached. `code` is stable: "idempotency.payload_mismatch". */
export class SemelError extends Error {
  constructor(code, detail, { status = 0, retryAfterMs = null, problem = {}, cause } = {}) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.problem = problem;
  }

  /** Whether the same request may succeed later. */
  get retryable() {
    return this.status === 0 || this.status >= 502 || RETRIED.has(this.code);
  }
}

/** A batch of messages broke off. `answers` are those of the lines before; send all again, those that were stored are duplicates. */
export class BatchIncomplete extends SemelError {
  constructor(code, detail, answers) {
    super(code, detail, { status: 200 });
    this.answers = answers;
  }
}

/**
 * Thrown by a function of runOnce or work to say what went wrong. category: network, timeout, rate_limited, upstream_error, auth, validation,
 * not_found, business_rule, ... retryable: true if nothing took effect and it may be tried again, false if it must not be; left out,
 * the category decides.
 */
export class Failure extends Error {
  constructor(category, reason, { retryable, retryAfter } = {}) {
    super(`${category}: ${reason}`);
    this.fields = { category, reason, retryable, retry_after: retryAfter };
  }
}

/** A run that was granted. `lost` is an AbortSignal: aborted when another run has the record. */
class Run {
  #lost = new AbortController();
  #steps;

  constructor(granted, steps) {
    this.#steps = steps;
    this.record = granted.record;
    this.fence = granted.fence;
    this.attempt = granted.attempt;
    this.downstreamKey = granted.downstream_key;
    this.correlationId = granted.correlation_id;
  }

  get lost() {
    return this.#lost.signal;
  }

  get handle() {
    return { record: this.record, fence: this.fence };
  }

  lose() {
    this.#lost.abort();
  }

  /**
   * Calls fn(downstreamKey) unless an earlier run has finished this step, and resolves to its result. A step that was interrupted is
   * not run again unless it is repeatable: the call is UNKNOWN then.
   */
  async step(name, fn, { repeatable = false } = {}) {
    const answer = await this.#steps(name, "begin", { ...this.handle, repeatable, begin_id: randomUUID() });
    if (answer.outcome === "replayed") {
      return answer.result;
    }
    const own = { ...this.handle, step_fence: answer.step_fence };
    let result;
    try {
      result = (await fn(answer.downstream_key)) ?? null;
    } catch (e) {
      await this.#steps(name, "fail", { ...own, repeatable, ...failureOf(e).fields }).catch(() => {});
      throw e;
    }
    await this.#steps(name, "finish", { ...own, result });
    return result;
  }
}

/** A message that was granted. `lost` is an AbortSignal: aborted when another worker has it. */
class Message {
  #lost = new AbortController();
  ended = false;

  constructor(granted) {
    this.record = granted.record;
    this.fence = granted.fence;
    this.key = granted.key;
    this.payload = granted.payload;
    this.lane = granted.lane ?? null;
    this.attempt = granted.attempt;
    this.downstreamKey = granted.downstream_key;
    this.correlationId = granted.correlation_id;
  }

  get lost() {
    return this.#lost.signal;
  }

  get handle() {
    return { record: this.record, fence: this.fence };
  }

  get held() {
    return !this.ended && !this.lost.aborted;
  }

  lose() {
    this.#lost.abort();
  }
}

const failureOf = (thrown) => (thrown instanceof Failure ? thrown : new Failure("unknown", String(thrown)));
const pause = (ms, stop) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stop?.addEventListener("abort", done);
    if (stop?.aborted) {
      done();
    }
  });
const path = (...parts) => "/" + parts.map(encodeURIComponent).join("/");

/** One answer for each message. */
function complete(text, expected) {
  const answers = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  if (answers.at(-1)?.incomplete) {
    const last = answers.pop();
    throw new BatchIncomplete(last.code, last.detail, answers);
  }
  if (answers.length !== expected) {
    const detail = `The server answered ${answers.length} of ${expected} messages. Send all of them again.`;
    throw new BatchIncomplete("batch.incomplete", detail, answers);
  }
  return answers;
}

export class Semel {
  #url;
  #token;
  #patienceMs;
  #timeoutMs;

  /** patienceMs: for how long a call is repeated; timeoutMs: of one request. */
  constructor(url, token, { patienceMs = 60_000, timeoutMs = 30_000 } = {}) {
    this.#url = url.replace(/\/+$/, "") + "/api/v1";
    this.#token = token;
    this.#patienceMs = patienceMs;
    this.#timeoutMs = timeoutMs;
  }

  // One request for each method; see the API page. Options that are left out or undefined are not sent.

  begin(operation, key, payload = null, { lease, wait, repeatable, beginId, correlationId } = {}) {
    const body = { key, payload, lease, wait, repeatable, begin_id: beginId };
    return this.#post(path("operations", operation, "begin"), body, correlationId);
  }

  renew(operation, run, lease) {
    return this.#post(path("operations", operation, "renew"), { ...run.handle, lease });
  }

  finish(operation, run, result = null) {
    return this.#post(path("operations", operation, "finish"), { ...run.handle, result });
  }

  fail(operation, run, failure) {
    return this.#post(path("operations", operation, "fail"), { ...run.handle, ...failure.fields });
  }

  /** The status of a call; null when there is none. */
  async find(operation, key) {
    try {
      const from = path("operations", operation) + "?key=" + encodeURIComponent(key);
      return await this.#persist(() => this.#request("GET", from));
    } catch (e) {
      if (e.code === "idempotency.not_found") {
        return null;
      }
      throw e;
    }
  }

  /** Sends a message; repeated under the same key until the server has it. */
  send(channel, key, payload = null, { lane, delay, deadline, correlationId } = {}) {
    const body = { key, payload, lane, delay, deadline };
    return this.#persist(() => this.#post(path("channels", channel, "messages"), body, correlationId));
  }

  /**
   * Sends many messages, each with key, payload and the options of send. Resolves to one answer for each; rejects with
   * BatchIncomplete, which has the answers so far, if the server could not take all of them.
   */
  async sendAll(channel, messages) {
    const lines = messages.map((each) => JSON.stringify(each) + "\n").join("");
    const to = path("channels", channel, "messages");
    return this.#persist(async () =>
      complete(await this.#request("POST", to, lines, "application/x-ndjson"), messages.length),
    );
  }

  // Messages, several in one request; each has its own answer. See the API page.

  /** One request: the answer, with its messages as objects that the methods below take. */
  async claim(channel, { max, lease, wait, claimId } = {}) {
    const answer = await this.#post(path("channels", channel, "claim"), { max, lease, wait, claim_id: claimId });
    return { ...answer, messages: answer.messages.map((each) => new Message(each)) };
  }

  renewMessages(channel, messages, lease) {
    return this.#end(channel, "renew", { messages: messages.map((each) => each.handle), lease });
  }

  finishMessages(channel, messages) {
    return this.#end(channel, "finish", { messages: messages.map((each) => each.handle) });
  }

  /** failures: pairs of a message and a Failure. */
  failMessages(channel, failures) {
    const messages = failures.map(([each, failure]) => ({ ...each.handle, ...failure.fields }));
    return this.#end(channel, "fail", { messages });
  }

  /** Hands messages back that were not begun: no attempt is spent. */
  releaseMessages(channel, messages) {
    return this.#end(channel, "release", { messages: messages.map((each) => each.handle) });
  }

  async #end(channel, action, body) {
    const { messages } = await this.#post(path("channels", channel, action), body);
    const open = messages.find((each) => RETRIED.has(each.code));
    if (open) {
      throw new SemelError(open.code, open.detail, { status: 503 });
    }
    return messages;
  }

  /**
   * Claims messages and calls fn(payload, message) for each, one after the other, until it is told to stop. The leases, in seconds,
   * are renewed in the background. A function that throws a Failure says what went wrong; any other error is reported as unknown.
   * The channel's policy decides what follows.
   *
   * signal: an AbortSignal that ends the loop; without one, SIGTERM and SIGINT do. The message that is being handled is finished, the
   * others are handed back. An idle worker stops within `wait` seconds. log: gets a line for each failure.
   */
  async work(channel, fn, { lease = 30, batch = 10, wait = 5, signal, log = console.error } = {}) {
    const stopping = new AbortController();
    const stop = signal ?? stopping.signal;
    const onSignal = () => stopping.abort();
    if (!signal) {
      process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
    }
    try {
      let claimId = randomUUID();
      for (let usual = 500; !stop.aborted; ) {
        const begun = Date.now();
        let answer;
        try {
          answer = await this.claim(channel, { max: batch, lease: `${lease}s`, wait: `${wait}s`, claimId });
        } catch (e) {
          if (!e.retryable) {
            throw e;
          }
          // Under the same id: what was granted is found again.
          log(`semel: claiming from ${channel} failed (${e.message}); retrying`);
          await pause(e.retryAfterMs ?? usual * (0.5 + Math.random()), stop);
          usual = Math.min(usual * 2, 10_000);
          continue;
        }
        usual = 500;
        claimId = randomUUID();
        if (answer.messages.length > 0) {
          await this.#handle(channel, answer.messages, fn, { lease, stop, log });
        } else if (Date.now() - begun < wait * 1000) {
          // The server did not wait: too many others do.
          await pause(answer.retry_after_ms ?? 1000, stop);
        }
      }
    } finally {
      process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
    }
  }

  async #handle(channel, messages, fn, { lease, stop, log }) {
    const renewing = setInterval(() => this.#renewHeld(channel, messages, lease, log), (lease * 1000) / 3);
    const skipped = new Set();
    try {
      for (const message of messages) {
        if (stop.aborted) {
          break;
        }
        if (!message.held || skipped.has(message.lane)) {
          if (message.lane !== null) {
            skipped.add(message.lane); // those behind it are somebody else's, too
          }
          continue;
        }
        if (!(await this.#handleOne(channel, message, fn, log)) && message.lane !== null) {
          skipped.add(message.lane);
        }
      }
    } finally {
      clearInterval(renewing);
      const rest = messages.filter((each) => each.held);
      if (rest.length > 0) {
        await this.#tell(() => this.releaseMessages(channel, rest));
      }
    }
  }

  /** Whether the messages behind it in its lane may follow. */
  async #handleOne(channel, message, fn, log) {
    const name = `${channel}/${message.record.slice(0, 12)}`;
    try {
      await fn(message.payload, message);
    } catch (e) {
      log(`semel: ${name} failed: ${e}`);
      message.ended = true;
      await this.#tell(() => this.failMessages(channel, [[message, failureOf(e)]]));
      return false;
    }
    message.ended = true;
    try {
      const [answer] = await this.#persist(() => this.finishMessages(channel, [message]));
      if (answer.outcome !== "recorded") {
        log(`semel: could not finish ${name}: ${answer.detail}`);
      }
      return answer.outcome === "recorded";
    } catch (e) {
      if (!(e instanceof SemelError)) {
        throw e;
      }
      log(`semel: could not finish ${name} (${e.message}); it will be handled again`);
      return false;
    }
  }

  async #renewHeld(channel, messages, lease, log) {
    const held = messages.filter((each) => each.held);
    if (held.length === 0) {
      return;
    }
    try {
      const answers = await this.renewMessages(channel, held, `${lease}s`);
      answers.forEach((each, i) => each.outcome === "renewed" || held[i].lose());
    } catch (e) {
      log(`semel: renewing leases of ${channel} failed (${e.message}); retrying`);
    }
  }

  /**
   * Calls fn(payload, run) unless it has been called for this key before, and resolves to its result. The lease, in seconds, is
   * renewed in the background while the function runs. A function that throws a Failure says what went wrong; after any other
   * error the call is UNKNOWN unless it is repeatable. The error is thrown again.
   */
  async runOnce(operation, key, payload, fn, { lease = 30, repeatable = false, correlationId } = {}) {
    const terms = { lease: `${lease}s`, wait: "5s", repeatable, beginId: randomUUID(), correlationId };
    const answer = await this.#persist(() => this.begin(operation, key, payload, terms));
    if (answer.outcome === "replayed") {
      return answer.result;
    }
    const run = new Run(answer, (step, action, body) =>
      this.#persist(() => this.#post(path("operations", operation, "steps", step, action), body)),
    );
    const renewing = setInterval(() => this.#renewOnce(operation, run, lease), (lease * 1000) / 3);
    try {
      let result;
      try {
        result = (await fn(payload, run)) ?? null;
      } catch (e) {
        await this.#tell(() => this.fail(operation, run, failureOf(e)));
        throw e;
      }
      const end = await this.#persist(() => this.finish(operation, run, result));
      return end.outcome === "ended_before" ? end.result : result;
    } finally {
      clearInterval(renewing);
    }
  }

  async #renewOnce(operation, run, lease) {
    try {
      await this.renew(operation, run, `${lease}s`);
    } catch (e) {
      if (e.code === "lease.lost") {
        run.lose();
      }
    }
  }

  /** Says that something failed. If that cannot be said, the lease expires and says it. */
  async #tell(request) {
    try {
      await this.#persist(request);
    } catch (e) {
      if (!(e instanceof SemelError)) {
        throw e;
      }
    }
  }

  /** Repeats a request while it may succeed later, within the patience of this client. */
  async #persist(request) {
    const until = Date.now() + this.#patienceMs;
    for (let usual = 100; ; usual = Math.min(usual * 2, 5_000)) {
      try {
        return await request();
      } catch (e) {
        const wait = e.retryAfterMs ?? usual * (0.5 + Math.random());
        if (!e.retryable || Date.now() + wait > until) {
          throw e;
        }
        await pause(wait);
      }
    }
  }

  #post(to, body, correlationId) {
    return this.#request("POST", to, JSON.stringify(body), "application/json", correlationId);
  }

  async #request(method, to, body, type, correlationId) {
    const headers = { Authorization: "Bearer " + this.#token };
    if (type) {
      headers["Content-Type"] = type;
    }
    if (correlationId) {
      headers["X-Correlation-ID"] = correlationId;
    }
    let response;
    let text;
    try {
      response = await fetch(this.#url + to, { method, headers, body, signal: AbortSignal.timeout(this.#timeoutMs) });
      text = await response.text();
    } catch (e) {
      throw new SemelError("connection.failed", String(e.cause ?? e), { cause: e });
    }
    if (response.ok) {
      return type === "application/x-ndjson" ? text : JSON.parse(text);
    }
    let problem = {};
    try {
      problem = JSON.parse(text);
    } catch {
      // Not a problem of Semel: a proxy in between.
    }
    const after = response.headers.get("Retry-After");
    throw new SemelError(problem.code ?? "http." + response.status, problem.detail ?? response.statusText, {
      status: response.status,
      retryAfterMs: after !== null && /^\d+$/.test(after) ? Number(after) * 1000 : null,
      problem,
    });
  }
}
