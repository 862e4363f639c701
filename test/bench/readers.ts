import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { monotonicMs } from "../../src/lib/clock.ts";
import { type Closing, createClosing } from "../../src/lib/closing.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { median } from "./median.ts";
import type { CrowdReport } from "./readers/crowd.ts";
import type { ProbeReport } from "./readers/probe.ts";
import { run, startWorld, stored, usageOf, type World } from "./readers/world.ts";

/**
 * What readers cost the polls: the speed of a poll that never ends alone, while a crowd reads and feeds misbehave, and
 * alone again, round for round; first on the machine as it is, then beside programs that want all of it. Earshot runs as
 * people start it, and everything else in processes of its own. See README.md.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "40" },
    rounds: { type: "string", default: "3" },
    readers: { type: "string", default: "200" },
    streams: { type: "string", default: "200" },
    feeds: { type: "string", default: "20" },
    /** Busy processes of somebody else; several numbers: one measurement after the other. */
    load: { type: "string", default: "0,4" },
    "one-process": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const say = (line: string): void => {
  if (!values.json) console.log(line);
};

const closing = createClosing();
try {
  const world = await startWorld(closing, {
    feeds: Number(values.feeds),
    oneProcess: values["one-process"],
  });
  let busy = 0;
  for (const load of values.load.split(",").map(Number)) {
    for (; busy < load; busy++) burn(closing);
    await measure(world, load);
  }
} finally {
  await closing.close();
}

async function measure(world: World, busy: number): Promise<void> {
  say(
    `\n${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1)}, ${busy} busy processes of our own`,
  );
  const phases = [await phase(world, "alone", 0, 0)];
  const shares: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const before = phases.at(-1)?.storedPerS ?? 0;
    const crowded = await phase(world, "readers", Number(values.readers), Number(values.streams));
    const after = await phase(world, "alone again", 0, 0);
    phases.push(crowded, after);
    shares.push((2 * crowded.storedPerS) / (before + after.storedPerS));
  }
  const share = median(shares);
  if (values.json) console.log(JSON.stringify({ busy, phases, shares, share, load: loadavg()[0] }));
  const each = shares.map((one) => Math.round(one * 100)).join(", ");
  say(`with readers, polls keep ${Math.round(share * 100)} % of their speed (median of ${each})`);
  const worst = Math.max(...phases.map(({ healthz }) => Math.round(healthz.worstMs)));
  const [first, last] = [phases[0], phases.at(-1)].map((one) =>
    one?.processes.map(({ roles, memoryMb }) => ({ roles, memoryMb })),
  );
  const memory = first?.map(
    ({ roles, memoryMb }, index) => `${roles} ${memoryMb[0]} → ${last?.[index]?.memoryMb[1]} MB`,
  );
  say(`worst /healthz ${worst} ms; from beginning to end: ${memory?.join("; ")}`);
}

async function phase(world: World, name: string, readers: number, streams: number) {
  world.feeds.send(readers > 0 ? "misbehave" : "rest");
  const processes = await world.pids();
  const before = await Promise.all(processes.map(({ pid }) => usageOf(pid)));
  const probe = run(closing, "probe.ts", [world.url]);
  await once(probe, "message");
  const crowd = run(closing, "crowd.ts", [world.url, String(readers), String(streams)]);
  await once(crowd, "message");
  const [countBefore, startedAt] = [await stored(world.database), monotonicMs()];
  await delay(Number(values.seconds) * SECOND);
  const seconds = (monotonicMs() - startedAt) / SECOND;
  const polls = (await stored(world.database)) - countBefore;
  const report = await reportOf<CrowdReport>(crowd);
  const probes = await reportOf<ProbeReport>(probe);
  const after = await Promise.all(processes.map(({ pid }) => usageOf(pid)));
  const pages = [...report.pagesMs].sort((a, b) => a - b);
  const at = (share: number) => Math.round(pages[Math.floor(pages.length * share)] ?? 0);
  const { refused, failed, events } = report;
  const result = {
    ...{ name, polls, storedPerS: polls / seconds, pagesPerS: pages.length / seconds },
    ...{ p50Ms: at(0.5), p95Ms: at(0.95), refusedPerS: refused / seconds, failed },
    ...{ streams: report.streams, events, healthz: probes },
    processes: processes.map(({ roles }, index) => ({
      roles: roles.join(","),
      memoryMb: [before[index]?.mb, after[index]?.mb],
      cpu: ((after[index]?.cpuS ?? 0) - (before[index]?.cpuS ?? 0)) / seconds,
    })),
  };
  say(
    `${name.padEnd(12)} stored ${Math.round(result.storedPerS)}/s, pages ${result.pagesPerS.toFixed(1)}/s p50 ${result.p50Ms} p95 ${result.p95Ms} ms, refused ${result.refusedPerS.toFixed(1)}/s, other failures ${failed}, streams ${report.streams} (${events} events)`,
  );
  say(
    `${"".padEnd(12)} worst of ${probes.probes} /healthz ${Math.round(probes.worstMs)} ms, ${(probes.worstAfterMs / SECOND).toFixed(1)} s after the first (the probe itself was up to ${Math.round(probes.ownDelayMs)} ms late), ${probes.failed} failed`,
  );
  for (const one of result.processes)
    say(
      `${"".padEnd(12)} ${one.roles}: ${one.memoryMb.join(" → ")} MB, ${one.cpu.toFixed(2)} of a processor`,
    );
  return result;
}

async function reportOf<Report>(child: ChildProcess): Promise<Report> {
  const reported = once(child, "message");
  child.send("report");
  const [report] = await reported;
  return report as Report;
}

/** Somebody else's work on this machine. */
function burn(closing: Closing): void {
  const child = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
  closing.add(async () => void child.kill("SIGKILL"));
}
