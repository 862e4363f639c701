import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { openPage } from "../../src/console/open-console.ts";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import type { LoopDelay } from "../../src/lib/loop-delay.ts";
import { until } from "../until.ts";
import { useStores } from "../use-stores.ts";

const WITHIN = { withinMs: MINUTE, everyMs: 200 };
const IN_TIME: LoopDelay = { meanMs: 1.5, maxMs: 40 };

const closing = createClosing();
afterAll(() => closing.close());
const { stores, url: databaseUrl } = await useStores();
const page = await openPage({
  ...{ databaseUrl, clock: systemClock, log: pino({ level: "silent" }), rules: [] },
  settings: { host: "127.0.0.1", port: 0, timezone: "UTC" },
  ...{ tryNextPort: false, hasLocalInbox: false },
});
closing.add(page.close);

const ids = new Map<string, string>();
function report(pid: number, loop: LoopDelay, host = hostname()) {
  const id = ids.get(`${host} ${pid}`) ?? randomUUID();
  ids.set(`${host} ${pid}`, id);
  return stores.processes.report({
    ...{ id, host, pid, loop, roles: ["poll", "tick"] },
    ...{ version: "v1", refused: null, answered: null },
  });
}
const readiness = async () => {
  const answer = await fetch(`${page.url}/readyz`);
  return `${answer.status} ${/event loop: \w+/.exec(await answer.text())?.[0]}`;
};
const becomes = (expected: string) => until(expected, async () => (await readiness()) === expected, WITHIN);

test("the metric has the mean and the longest delay of every process, in seconds", async () => {
  await report(71, { meanMs: 12.5, maxMs: 1_500 }, "a");
  await report(72, IN_TIME, "b");
  const text = await (await fetch(`${page.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith("earshot_event_loop_delay_seconds"));
  const line = (host: string, pid: number, of: string, value: number) =>
    `earshot_event_loop_delay_seconds{host="${host}",pid="${pid}",roles="poll,tick",of="${of}"} ${value}`;
  expect(lines.sort()).toEqual([
    line("a", 71, "max", 1.5),
    line("a", 71, "mean", 0.0125),
    line("b", 72, "max", 0.04),
    line("b", 72, "mean", 0.0015),
  ]);
});

test(
  "a console is not ready while the pipeline that started it reports a late loop; another host's does not count",
  async () => {
    await report(process.ppid, IN_TIME);
    await report(process.ppid, { meanMs: 900, maxMs: 9_000 }, "elsewhere");
    await becomes("200 event loop: ok");
    // Each piece of work takes several times as long.
    await report(process.ppid, { meanMs: 300, maxMs: 400 });
    await becomes("503 event loop: failing");
    await report(process.ppid, IN_TIME);
    await becomes("200 event loop: ok");
    // A job loses its lock.
    await report(process.ppid, { meanMs: 2, maxMs: 6_000 });
    await becomes("503 event loop: failing");
    expect((await fetch(`${page.url}/healthz`)).status).toBe(200);
    await report(process.ppid, IN_TIME);
    await becomes("200 event loop: ok");
  },
  3 * MINUTE,
);

test(
  "a console is not ready while its own loop is late, and ready again after it",
  async () => {
    await becomes("200 event loop: ok");
    const blocking = setInterval(() => {
      const end = monotonicMs() + 400;
      while (monotonicMs() < end);
    }, 1);
    try {
      await becomes("503 event loop: failing");
      expect((await fetch(`${page.url}/healthz`)).status).toBe(200);
    } finally {
      clearInterval(blocking);
    }
    await becomes("200 event loop: ok");
  },
  2 * MINUTE,
);
