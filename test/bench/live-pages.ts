import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClosing } from "../../src/lib/closing.ts";
import { SECOND } from "../../src/lib/instant.ts";
import type { LiveReport } from "./readers/live-crowd.ts";
import { run, startWorld, stored, usageOf } from "./readers/world.ts";

/**
 * Many open live pages, and people who search at the same moment, while mentions come in: how long a page takes to show
 * what is new, whether one misses it, how long a search takes, and whether memory grows. See README.md.
 */
const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "500" },
    searches: { type: "string", default: "50" },
    seconds: { type: "string", default: "60" },
    "per-minute": { type: "string", default: "1000" },
    /** Mentions that are kept before the pages open. */
    kept: { type: "string", default: "20000" },
    json: { type: "boolean", default: false },
  },
});

const closing = createClosing();
try {
  const world = await startWorld(closing, { feeds: 0, perMinute: Number(values["per-minute"]) });
  world.source.send({ more: Number(values.kept) });
  const wanted = Number(values.kept);
  while ((await stored(world.database)) < wanted) await delay(SECOND);
  const crowd = run(closing, "live-crowd.ts", [world.url, values.pages, values.searches]);
  await once(crowd, "message");
  // Past the first seconds, in which all pages are loaded and the code is compiled.
  await delay(10 * SECOND);
  crowd.send("forget");
  const processes = await world.pids();
  const usage = () => Promise.all(processes.map(({ pid }) => usageOf(pid)));
  const [before, countBefore] = [await usage(), await stored(world.database)];
  await delay(Number(values.seconds) * SECOND);
  const [after, count] = [await usage(), await stored(world.database)];
  world.source.send("end");
  const reported = once(crowd, "message");
  crowd.send("report");
  const [report] = (await reported) as [LiveReport];
  const { shownMs, searchMs, refused, failed, open, events, behind } = report;
  const result = {
    ...{ open, events, behind, failed, refused },
    shown: quantiles(shownMs),
    searches: { n: searchMs.length, ...quantiles(searchMs) },
    storedPerMinute: Math.round(((count - countBefore) * 60) / Number(values.seconds)),
    processes: processes.map(({ roles }, index) => ({
      roles: roles.join(","),
      memoryMb: [before[index]?.mb, after[index]?.mb],
      cpu: ((after[index]?.cpuS ?? 0) - (before[index]?.cpuS ?? 0)) / Number(values.seconds),
    })),
    load: loadavg()[0],
  };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`${availableParallelism()} processors, load ${result.load?.toFixed(1)}`);
    console.log(
      `${open} live pages, ${events} events, ${shownMs.length} times shown: p50 ${result.shown.p50} ms, p95 ${result.shown.p95} ms, worst ${result.shown.worst} ms; refused ${refused.parts}; behind at the end: ${behind}`,
    );
    console.log(
      `${searchMs.length} searches, ${values.searches} at once: p50 ${result.searches.p50} ms, p95 ${result.searches.p95} ms, worst ${result.searches.worst} ms; refused ${refused.searches}; other failures ${failed}`,
    );
    for (const { roles, memoryMb, cpu } of result.processes)
      console.log(`${roles}: ${memoryMb.join(" → ")} MB, ${cpu.toFixed(2)} of a processor`);
    console.log(`stored ${result.storedPerMinute} a minute`);
  }
} finally {
  await closing.close();
}

function quantiles(all: readonly number[]) {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { p50: at(0.5), p95: at(0.95), worst: Math.round(sorted.at(-1) ?? 0) };
}
