// Checks of the Node client against a server: each prints its name when it holds.

import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const { Failure, Semel } = await import(pathToFileURL(process.env.SEMEL_CLIENT));
const semel = new Semel(process.env.SEMEL_URL, process.env.SEMEL_TOKEN);
const calls = [];

function counting(payload, run) {
  calls.push(run.attempt);
  return { sum: payload.a + payload.b };
}

async function thrownBy(work) {
  try {
    await work();
  } catch (e) {
    return e;
  }
  return null;
}

const checks = {
  async runs_once() {
    const first = await semel.runOnce("add", "k-1", { a: 1, b: 2 }, counting);
    const second = await semel.runOnce("add", "k-1", { a: 1, b: 2 }, counting);
    return first.sum === 3 && second.sum === 3 && calls.length === 1;
  },

  async conflict_is_raised() {
    const thrown = await thrownBy(() => semel.runOnce("add", "k-1", { a: 7, b: 2 }, counting));
    return thrown?.code === "idempotency.payload_mismatch" && calls.length === 1;
  },

  async failure_is_retried() {
    const attempts = [];
    const flaky = (payload, run) => {
      attempts.push(run.attempt);
      if (attempts.length === 1) {
        throw new Failure("network", "connection refused", { retryable: true });
      }
      return "done";
    };
    const thrown = await thrownBy(() => semel.runOnce("flaky", "k-1", null, flaky));
    const result = await semel.runOnce("flaky", "k-1", null, flaky);
    return thrown instanceof Failure && result === "done" && attempts.join() === "1,2";
  },

  async unexpected_error_is_unknown() {
    const broken = () => {
      throw new TypeError("unexpected");
    };
    const thrown = await thrownBy(() => semel.runOnce("broken", "k-1", null, broken));
    return thrown instanceof TypeError && (await semel.find("broken", "k-1")).state === "UNKNOWN";
  },

  async lease_is_renewed() {
    const slow = async (payload, run) => {
      await sleep(2500);
      return run.lost.aborted;
    };
    return (await semel.runOnce("slow", "k-1", null, slow, { lease: 1, repeatable: true })) === false;
  },

  async finished_step_is_replayed() {
    const paid = [];
    const mailed = [];
    const mail = (key) => {
      mailed.push(key);
      if (mailed.length === 1) {
        throw new Failure("network", "connection refused", { retryable: true });
      }
      return "mailed";
    };
    const work = async (payload, run) => {
      await run.step("pay", (key) => paid.push(key));
      return run.step("mail", mail);
    };
    const thrown = await thrownBy(() => semel.runOnce("stepwise", "k-1", null, work));
    const result = await semel.runOnce("stepwise", "k-1", null, work);
    return thrown instanceof Failure && result === "mailed" && paid.length === 1 && mailed[0] === mailed[1] && paid[0] !== mailed[0];
  },

  async concurrent_callers_share_one_run() {
    let ran = 0;
    const work = async () => {
      ran++;
      await sleep(200);
      return "shared";
    };
    const all = Array.from({ length: 8 }, () => semel.runOnce("shared", "k-1", null, work));
    return (await Promise.all(all)).every((each) => each === "shared") && ran === 1;
  },

  async messages_are_sent() {
    const one = await semel.send("mail", "m-1", { to: "ann" }, { lane: "ann" });
    const many = await semel.sendAll("mail", [
      { key: "m-1", payload: { to: "ann" }, lane: "ann" },
      { key: "m-2", payload: 2 },
    ]);
    return ["accepted", "duplicate"].includes(one.outcome) && many[0].outcome === "duplicate" && many.length === 2;
  },

  async batch_that_broke_off_is_raised() {
    const messages = [
      { key: "b-1", payload: 1 },
      { key: "b-2", payload: "x".repeat(2 << 20) },
      { key: "b-3", payload: 3 },
    ];
    try {
      await semel.sendAll("mail", messages);
      return false;
    } catch (e) {
      return e.code === "request.too_large" && e.answers.length === 1 && e.answers[0].line === 1;
    }
  },

  async worker_handles_each_message_once_and_lanes_in_order() {
    for (let n = 0; n < 6; n++) {
      await semel.send("jobs", `j-${n}`, { n }, { lane: `lane-${n % 2}` });
    }
    const stop = new AbortController();
    const handled = [];
    let failed = false;
    const handle = ({ n }) => {
      if (n === 2 && !failed) {
        failed = true;
        throw new Failure("network", "connection refused");
      }
      handled.push(n);
      if (handled.length === 6) {
        stop.abort();
      }
    };
    await semel.work("jobs", handle, { wait: 1, signal: stop.signal, log: () => {} });
    const lane = (k) => handled.filter((n) => n % 2 === k).join();
    return lane(0) === "0,2,4" && lane(1) === "1,3,5";
  },

  async worker_hands_back_what_it_has_not_begun() {
    for (let n = 0; n < 3; n++) {
      await semel.send("rest", `r-${n}`, n);
    }
    const stop = new AbortController();
    const again = new AbortController();
    let handled = 0;
    const handle = () => {
      handled++;
      stop.abort();
    };
    await semel.work("rest", handle, { wait: 1, signal: stop.signal, log: () => {} });
    const left = [];
    await semel.work(
      "rest",
      (payload, message) => {
        left.push(message.attempt);
        if (left.length === 2) {
          again.abort();
        }
      },
      { wait: 1, signal: again.signal, log: () => {} },
    );
    return handled === 1 && left.join() === "1,1";
  },

  async worker_renews_its_leases() {
    await semel.send("slow-jobs", "s-1", 1);
    const stop = new AbortController();
    const lost = [];
    const handle = async (payload, message) => {
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      lost.push(message.lost.aborted);
      stop.abort();
    };
    await semel.work("slow-jobs", handle, { lease: 1, wait: 1, signal: stop.signal, log: () => {} });
    return lost.join() === "false";
  },

  async absent_call_is_none() {
    return (await semel.find("add", "never")) === null;
  },

  async retry_after_is_obeyed() {
    const times = [];
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        times.push(performance.now());
        if (times.length === 1) {
          response.writeHead(503, { "Retry-After": "1" }).end('{"code":"idempotency.store_unavailable"}');
        } else {
          response.writeHead(202).end('{"outcome":"accepted"}');
        }
      });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    await new Semel("http://127.0.0.1:" + server.address().port, "t").send("mail", "m", 1);
    server.closeAllConnections();
    server.close();
    return times.length === 2 && times[1] - times[0] >= 990;
  },
};

for (const [name, check] of Object.entries(checks)) {
  if (!(await check())) {
    console.error(name + " does not hold");
    process.exit(1);
  }
  console.log(name);
}
