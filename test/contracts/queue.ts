import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Logger, pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { monotonicMs } from "../../src/lib/clock.ts";
import { ClassifiedError } from "../../src/lib/retry.ts";
import type { BackendOptions } from "../../src/monitor/queue/backend.ts";
import { createQueues, type Queues } from "../../src/monitor/queue/queues.ts";
import { createWorker, type Handlers, type RunningWorker } from "../../src/monitor/queue/worker.ts";
import { bundleEntries } from "../bundle.ts";
import { idle } from "../idle.ts";

export interface QueueEngine {
  readonly name: string;
  /** `scope` keeps the tests apart: a schema, a prefix. */
  backend(scope: string): BackendOptions;
  /** Throws away everything that the queue knows. */
  lose(scope: string): Promise<void>;
  /** Cuts every connection, and lets new ones in again. */
  interrupt(): Promise<void>;
}

/** What Earshot expects of a queue, on any engine. */
export function queueContract(engine: QueueEngine): void {
  const log = pino({ level: "silent" });
  let scope: string;
  let queues: Queues;
  let stops: (() => Promise<unknown>)[];

  const open = async (): Promise<Queues> => {
    const opened = await createQueues({ backend: engine.backend(scope), log });
    stops.push(opened.close);
    return opened;
  };
  const work = async (handlers: Handlers, on: Queues = queues, to: Logger = log): Promise<RunningWorker> => {
    const worker = createWorker({ queues: on, handlers, log: to, concurrency: { deliver: 8 } });
    stops.push(() => worker.stop({ graceMs: 0 }));
    await worker.start();
    return worker;
  };
  const delivery = (notificationId: string) => ({ notificationId, projectId: "1" });

  describe(`the queue on ${engine.name}`, () => {
    beforeEach(async () => {
      scope = `t_${randomBytes(5).toString("hex")}`;
      stops = [];
      queues = await open();
    });
    afterEach(async () => {
      for (const stop of stops.reverse()) await stop();
    });

    test("a job reaches the handler of its name with its payload", async () => {
      const seen: unknown[] = [];
      await work({
        deliver: async (payload) => void seen.push(payload),
        "poll-query": async (payload) => void seen.push(payload),
      });
      expect(await queues.add("deliver", delivery("n1"))).toBe("added");
      await vi.waitFor(() => expect(seen).toEqual([delivery("n1")]), WAIT);
      await queues.add("poll-query", { projectId: "1", queryId: "2", poll: "added" });
      await vi.waitFor(
        () => expect(seen).toContainEqual({ projectId: "1", queryId: "2", poll: "added" }),
        WAIT,
      );
      await idle(queues);
      expect(await queues.counts("deliver")).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    });

    test("a dozen jobs at once may all listen to the signal without a warning", async () => {
      const warnings: string[] = [];
      const warned = ({ name }: Error) => void warnings.push(name);
      process.on("warning", warned);
      let listening = 0;
      let release = (): void => {};
      const enough = new Promise<void>((resolve) => {
        release = resolve;
      });
      const job = async (_: unknown, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener("abort", () => {}, { once: true });
        if (++listening === 12) release();
        await enough;
      };
      await work({ deliver: job, "poll-query": job });
      for (let n = 0; n < 12; n++)
        await (n < 8
          ? queues.add("deliver", delivery(`n${n}`))
          : queues.add("poll-query", { projectId: "1", queryId: `${n}`, poll: "added" }));
      await idle(queues);
      process.off("warning", warned);
      expect(warnings).toEqual([]);
    });

    test("a payload of another shape is refused at once", async () => {
      const wrong = { notificationId: "" } as unknown as { notificationId: string; projectId: string };
      await expect(queues.add("deliver", wrong)).rejects.toThrow(/projectId/);
    });

    test("of many jobs added at once for one key, one waits; other keys do not mind", async () => {
      const adds = Array.from({ length: 20 }, () => queues.add("deliver", delivery("n1"), { dedupe: "n1" }));
      await Promise.all([...adds, queues.add("deliver", delivery("n2"), { dedupe: "n2" })]);
      expect((await queues.counts("deliver")).waiting).toBe(2);
    });

    test.each([
      ["add", "add"],
      ["handOver", "handOver"],
      ["add", "handOver"],
    ] as const)(
      "a job asked for while one of its key runs is run once more afterwards, never at the same time (%s, then %s)",
      async (first, later) => {
        const gate = createGate();
        let [running, runs] = [0, 0];
        await work({
          deliver: async () => {
            expect(++running).toBe(1);
            if (++runs === 1) await gate.opened;
            running--;
          },
        });
        await queues[first]("deliver", delivery("n1"), { dedupe: "n1" });
        await vi.waitFor(() => expect(running).toBe(1), WAIT);
        for (let i = 0; i < 3; i++) await queues[later]("deliver", delivery("n1"), { dedupe: "n1" });
        gate.open();
        await vi.waitFor(() => expect(runs).toBe(2), WAIT);
        await idle(queues);
        expect(runs).toBe(2);
      },
    );

    test("a finished job's key is free at once", async () => {
      let runs = 0;
      await work({ deliver: async () => void runs++ });
      for (let i = 1; i <= 3; i++) {
        await queues.add("deliver", delivery("n1"), { dedupe: "n1" });
        await idle(queues);
        expect(runs).toBe(i);
      }
    });

    test("a delayed job waits for its time, and idle does not wait for it", async () => {
      const start = monotonicMs();
      let ranAfter = 0;
      await work({
        deliver: async () => {
          ranAfter = monotonicMs() - start;
        },
      });
      await queues.add("deliver", delivery("n1"), { delayMs: 700 });
      await idle(queues);
      expect((await queues.counts("deliver")).delayed).toBe(1);
      await vi.waitFor(() => expect(ranAfter).toBeGreaterThanOrEqual(690), WAIT);
      expect(ranAfter).toBeLessThan(5_000);
    });

    test("a failure that a retry can help is retried when it says, and reported after the last try", async () => {
      const attempts: number[] = [];
      const reported: unknown[] = [];
      const report = pino(
        { base: null, timestamp: false },
        { write: (line) => void reported.push(JSON.parse(line)) },
      );
      await work(
        {
          deliver: async (_payload, { attempt }) => {
            attempts.push(attempt);
            throw new Refused("busy", { retryable: true, retryAfterMs: 20 });
          },
        },
        queues,
        report,
      );
      await queues.add("deliver", delivery("n1"), { dedupe: "n1" });
      await vi.waitFor(async () => expect((await queues.counts("deliver")).failed).toBe(1), WAIT);
      expect(attempts).toEqual([1, 2, 3, 4, 5]);
      const failed = { job: "deliver", error: "busy" };
      const [WARN, ERROR] = [40, 50];
      expect(reported).toEqual([
        ...[1, 2, 3, 4].map((attempt) => ({
          ...{ level: WARN, ...failed, attempt, msg: "a job failed and will be tried again" },
        })),
        { level: ERROR, ...failed, attempt: 5, msg: "a job failed and is not tried again" },
      ]);
      await queues.add("deliver", delivery("n1"), { dedupe: "n1" });
      await vi.waitFor(() => expect(attempts.length).toBeGreaterThan(5), WAIT);
    });

    test("a failure that no retry can help is not tried again, and its key is free", async () => {
      let runs = 0;
      await work({
        deliver: async () => {
          runs++;
          throw new Refused("no such channel", { retryable: false });
        },
      });
      for (let i = 1; i <= 2; i++) {
        await queues.add("deliver", delivery("n1"), { dedupe: "n1" });
        await vi.waitFor(async () => expect((await queues.counts("deliver")).failed).toBe(i), WAIT);
      }
      expect(runs).toBe(2);
    });

    test("a killed worker's job is picked up by another within 15 seconds", { timeout: 60_000 }, async () => {
      await queues.add("deliver", delivery("n1"), { dedupe: "n1" });
      const bundle = await bundleEntries([STUCK_WORKER]);
      stops.push(bundle.remove);
      const words = [bundle.file(STUCK_WORKER), JSON.stringify(engine.backend(scope))];
      const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
      stops.push(async () => child.kill("SIGKILL"));
      const [taken] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
      expect(taken).toBe("n1");
      const seen: string[] = [];
      await work({ deliver: async ({ notificationId }) => void seen.push(notificationId) });
      child.kill("SIGKILL");
      const killedAt = monotonicMs();
      await vi.waitFor(() => expect(seen).toEqual(["n1"]), { timeout: 20_000, interval: 50 });
      expect(monotonicMs() - killedAt).toBeLessThan(15_000);
    });

    test("a job that is handed over runs here, and never reaches the engine", async () => {
      const gate = createGate();
      const seen: unknown[] = [];
      await work({
        deliver: async (payload) => {
          seen.push(payload);
          await gate.opened;
        },
      });
      await queues.handOver("deliver", delivery("n1"), { dedupe: "n1" });
      // It has begun already, without an answer of the engine.
      expect(seen).toEqual([delivery("n1")]);
      expect((await queues.counts("deliver")).active).toBe(1);
      expect((await (await open()).counts("deliver")).active).toBe(0);
      gate.open();
      await idle(queues);
      expect(seen.length).toBe(1);
    });

    test("without a worker here, a job that is handed over goes to the worker of another process", async () => {
      const seen: string[] = [];
      await work({ deliver: async ({ notificationId }) => void seen.push(notificationId) }, await open());
      await queues.handOver("deliver", delivery("n1"), { dedupe: "n1" });
      await vi.waitFor(() => expect(seen).toEqual(["n1"]), WAIT);
    });

    test("with all slots in use, what is handed over goes to the engine, and nothing is lost", async () => {
      const gate = createGate();
      const seen: string[] = [];
      let [running, most] = [0, 0];
      await work({
        deliver: async ({ notificationId }) => {
          most = Math.max(most, ++running);
          await gate.opened;
          seen.push(notificationId);
          running--;
        },
      });
      const ids = Array.from({ length: 12 }, (_, n) => `n${n}`);
      for (const id of ids.slice(0, 8)) await queues.handOver("deliver", delivery(id), { dedupe: id });
      // The engine has slots of its own: it takes these while the others run.
      for (const id of ids.slice(8)) await queues.handOver("deliver", delivery(id), { dedupe: id });
      await vi.waitFor(() => expect(running).toBe(12), WAIT);
      expect((await (await open()).counts("deliver")).active).toBe(4);
      gate.open();
      await idle(queues);
      expect(seen.toSorted()).toEqual(ids.toSorted());
      expect(most).toBe(12);
    });

    test("a job that was handed over and failed is tried again by the engine", async () => {
      const attempts: number[] = [];
      await work({
        deliver: async (_payload, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length < 3) throw new Refused("busy", { retryable: true, retryAfterMs: 20 });
        },
      });
      await queues.handOver("deliver", delivery("n1"), { dedupe: "n1" });
      await vi.waitFor(() => expect(attempts).toEqual([1, 1, 2]), WAIT);
      await idle(queues);
      expect(attempts.length).toBe(3);
    });

    test("a stop waits for what was handed over, and what comes later waits in the engine", async () => {
      const gate = createGate();
      const ended: string[] = [];
      const worker = await work({
        deliver: async ({ notificationId }) => {
          await gate.opened;
          ended.push(notificationId);
        },
      });
      await queues.handOver("deliver", delivery("n1"), { dedupe: "n1" });
      await queues.handOver("deliver", delivery("n1"), { dedupe: "n1" });
      const stopped = worker.stop();
      await queues.handOver("deliver", delivery("n2"), { dedupe: "n2" });
      expect(queues.handOvers.count("deliver")).toBe(1);
      gate.open();
      expect(await stopped).toBe("finished");
      // The engine may have been asked for a job just before the stop, and its answer is the later one.
      const { waiting } = await queues.counts("deliver");
      expect(ended.toSorted()).toEqual(waiting === 1 ? ["n1"] : ["n1", "n2"]);
    });

    test("a reminder comes once an interval, however many processes ask for it", async () => {
      const other = await open();
      const moments: number[] = [];
      const handlers: Handlers = { sweep: async () => void moments.push(monotonicMs()) };
      await work(handlers);
      await work(handlers, other);
      for (const one of [queues, other, queues, other]) await one.remindEvery("sweep", {}, { everyMs: 800 });
      await vi.waitFor(() => expect(moments.length).toBeGreaterThanOrEqual(4), WAIT);
      const spanMs = (moments.at(-1) ?? 0) - (moments[0] ?? 0);
      expect(moments.length - 1).toBeLessThanOrEqual(Math.ceil(spanMs / 800) + 1);
      expect((await queues.counts("sweep")).delayed).toBe(1);
    });

    test("a queue that lost everything gets its reminders again", async () => {
      let runs = 0;
      await work({ sweep: async () => void runs++ });
      await queues.remindEvery("sweep", {}, { everyMs: 60_000 });
      await engine.lose(scope);
      expect((await queues.counts("sweep")).delayed).toBe(0);
      await queues.remindEvery("sweep", {}, { everyMs: 300 });
      await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(2), WAIT);
    });

    test("a reminder that a clock ahead of ours has planned comes soon, and not when its time is reached", async () => {
      let runs = 0;
      await work({ sweep: async () => void runs++ });
      await queues.remindEvery("sweep", {}, { everyMs: 300 });
      const queue = queues.backend.openQueue("sweep");
      await queue.removeJobScheduler("sweep");
      const startDate = Date.now() + 7_200_000;
      await queue.upsertJobScheduler(
        "sweep",
        { every: 300, startDate },
        { name: "sweep", data: {}, opts: {} },
      );
      const before = runs;
      await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(before + 3), WAIT);
      await queue.close();
    });

    test("a stop waits for the running handler, and leaves other jobs to others", async () => {
      const gate = createGate();
      const done: string[] = [];
      const worker = await work({
        deliver: async ({ notificationId }) => {
          if (notificationId === "n1") await gate.opened;
          done.push(notificationId);
        },
      });
      await queues.add("deliver", delivery("n1"));
      await vi.waitFor(async () => expect((await queues.counts("deliver")).active).toBe(1), WAIT);
      const stopped = worker.stop({ graceMs: 20_000 });
      for (let i = 2; i <= 20; i++) await queues.add("deliver", delivery(`n${i}`));
      gate.open();
      expect(await stopped).toBe("finished");
      expect(done).toContain("n1");
      // BullMQ looks once more while it closes, so one of them may have been taken, and then it is finished, too.
      expect(done.length).toBeLessThanOrEqual(2);
      expect(await queues.counts("deliver")).toMatchObject({ waiting: 20 - done.length, active: 0 });
    });

    test("a stop that waited long enough aborts the handler", async () => {
      const aborted = createGate();
      const worker = await work({
        deliver: async (_payload, { signal }) => {
          await once(signal, "abort");
          aborted.open();
          throw new Error("stopped in the middle");
        },
      });
      await queues.add("deliver", delivery("n1"));
      await vi.waitFor(async () => expect((await queues.counts("deliver")).active).toBe(1), WAIT);
      expect(await worker.stop({ graceMs: 50 })).toBe("finished");
      await aborted.opened;
      expect((await queues.counts("deliver")).delayed).toBe(1);
    });

    test("workers go on by themselves after every connection was cut", async () => {
      const seen: string[] = [];
      await work({ deliver: async ({ notificationId }) => void seen.push(notificationId) });
      await queues.add("deliver", delivery("before"));
      await vi.waitFor(() => expect(seen).toEqual(["before"]), WAIT);
      await engine.interrupt();
      await vi.waitFor(
        async () => expect(await queues.add("deliver", delivery("after"))).toBe("added"),
        WAIT,
      );
      await vi.waitFor(() => expect(seen).toContain("after"), WAIT);
    });
  });
}

const STUCK_WORKER = "test/monitor/queue/fixtures/stuck-worker.ts";
const WAIT = { timeout: 15_000, interval: 20 };

function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** As a handler throws what its vendor has refused. */
class Refused extends ClassifiedError {}
