import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSwap } from "../../../src/lib/swap.ts";
import { handlersOfCurrent } from "../../../src/monitor/queue/current-handlers.ts";
import type { Handlers } from "../../../src/monitor/queue/worker.ts";

const context = (signal: AbortSignal) => ({ signal, attempt: 2 });
const version = (sweep: Handlers["sweep"]) => ({ handlers: { sweep } as Required<Handlers> });

test("a job runs with the version that is the newest when it begins", async () => {
  const ran: string[] = [];
  const named = (name: string) => version(async (_, { attempt }) => void ran.push(`${name}, try ${attempt}`));
  const versions = createSwap(named("first"));
  const { sweep } = handlersOfCurrent(versions);
  await sweep({}, context(new AbortController().signal));
  await versions.replace(named("second"), 0);
  await sweep({}, context(new AbortController().signal));
  expect(ran).toEqual(["first, try 2", "second, try 2"]);
});

test.each([
  ["before the job begins", (stop: () => void) => stop(), 0],
  ["while it runs", (stop: () => void) => void setImmediate(stop), 1],
])("a job is told that its worker stops, and why: %s", async (_, when, heard) => {
  const stopping = new AbortController();
  let aborts = 0;
  const { sweep } = handlersOfCurrent(
    createSwap(
      version(async (_payload, { signal }) => {
        signal.addEventListener("abort", () => aborts++);
        await delay(50, undefined, { signal }).catch(() => {});
        expect(String(signal.reason)).toContain("the worker stops");
      }),
    ),
  );
  when(() => stopping.abort(new Error("the worker stops")));
  await sweep({}, context(stopping.signal));
  expect(aborts).toBe(heard);
});

test("a job of a version that was replaced is aborted when its time is up", async () => {
  const versions = createSwap(
    version(async (_, { signal }) => {
      await delay(10_000, undefined, { signal }).catch(() => {});
      expect(String(signal.reason)).toContain("reloaded");
    }),
  );
  const running = handlersOfCurrent(versions).sweep({}, context(new AbortController().signal));
  await versions.replace(
    version(async () => {}),
    0,
  );
  await running;
});

test("a job that has ended, or failed, listens to its worker no more", async () => {
  const worker = new AbortController().signal;
  const { sweep } = handlersOfCurrent(
    createSwap(
      version(async () => {
        expect(getEventListeners(worker, "abort")).toHaveLength(1);
        throw new Error("it failed");
      }),
    ),
  );
  await expect(sweep({}, context(worker))).rejects.toThrow("it failed");
  expect(getEventListeners(worker, "abort")).toEqual([]);
});

test("an unaborted job has a signal that is not aborted", async () => {
  const { sweep } = handlersOfCurrent(
    createSwap(version(async (_, { signal }) => expect(signal.aborted).toBe(false))),
  );
  await sweep({}, context(new AbortController().signal));
});
