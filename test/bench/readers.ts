import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { pino } from "pino";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { type Closing, createClosing } from "../../src/lib/closing.ts";
import { DAY, MINUTE, SECOND } from "../../src/lib/instant.ts";
import { openPostgres } from "../../src/monitor/commands/open-postgres.ts";
import { type Database, openDatabase } from "../../src/monitor/store/database.ts";
import { createProcessStore } from "../../src/monitor/store/processes.ts";
import { bundleEntries } from "../bundle.ts";
import { until } from "../until.ts";
import { median } from "./median.ts";
import type { CrowdReport } from "./readers/crowd.ts";
import type { ProbeReport } from "./readers/probe.ts";

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
const PAGE_SIZE = 500;
const say = (line: string): void => {
  if (!values.json) console.log(line);
};

const closing = createClosing();
try {
  const world = await startWorld(closing);
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

interface World {
  readonly url: string;
  readonly feeds: ChildProcess;
  readonly database: Database;
  readonly pids: () => Promise<readonly { readonly pid: number; readonly roles: readonly string[] }[]>;
}

async function startWorld(closing: Closing): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-readers-"));
  await chmod(folder, 0o755);
  closing.add(() => rm(folder, { recursive: true, force: true }));
  const source = await serve("source-server.ts", [String(systemClock.now() - 2 * DAY)]);
  const feeds = await serve("bad-feeds.ts", []);
  const home = join(folder, ".earshot");
  await writeFile(join(folder, "earshot.yaml"), configOf(source.url, feeds.url));
  const bundle = await bundleEntries(["src/cli/main.ts"]);
  const words = ["start", "--port", "0", ...(values["one-process"] ? ["--one-process"] : [])];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [bundle.file("src/cli/main.ts"), ...words], {
    cwd: folder,
    env: { PATH, HOME, EARSHOT_HOME: home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text: Buffer) => {
    said = (said + text).slice(-100_000);
  });
  closing.add(async () => {
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  });
  const address = () => /"url":"(http:[^"]+)","msg":"the page is open"/.exec(said)?.[1];
  await until(`the page is open`, () => address() !== undefined, { withinMs: 2 * MINUTE, everyMs: 100 });
  const log = pino({ level: "silent" });
  const postgres = await openPostgres({ databaseUrl: null, home }, log, { share: true });
  closing.add(postgres.stop);
  const database = openDatabase({ url: postgres.url, connections: 2, onError: () => {} });
  closing.add(database.close);
  const { running } = createProcessStore(database.db);
  await until("polls store something", async () => (await stored(database)) > 4 * PAGE_SIZE, {
    ...{ withinMs: 5 * MINUTE, everyMs: SECOND },
  });
  return { url: address() ?? "", feeds: feeds.process, database, pids: running };
}

function configOf(source: string, feeds: string): string {
  const urls = Array.from({ length: Number(values.feeds) }, (_, at) => JSON.stringify(`${feeds}/${at}`));
  const listen = `
listen:
  queries: [{ name: acme, text: acme }]
  feeds: [{ kind: rss, urls: [${urls.join(", ")}], every: 1m, allowPrivateAddress: true }]`;
  return `
source: { baseUrl: "${source}", username: a, password: b, clientId: c, history: 10d, pageSize: ${PAGE_SIZE} }
receivers: [{ name: hook, kind: webhook, url: "http://127.0.0.1:9/x", allowPrivateAddress: true }]
routes: [{ receivers: [hook] }]
rules: ${process.cwd()}/rules${urls.length === 0 ? "" : listen}
`;
}

async function phase(world: World, name: string, readers: number, streams: number) {
  world.feeds.send(readers > 0 ? "misbehave" : "rest");
  const processes = await world.pids();
  const before = await Promise.all(processes.map(({ pid }) => usageOf(pid)));
  const probe = run("probe.ts", [world.url]);
  await once(probe, "message");
  const crowd = run("crowd.ts", [world.url, String(readers), String(streams)]);
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

async function stored({ db }: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from earshot.mentions`.execute(db);
  return rows[0]?.n ?? 0;
}

/** From the kernel: Earshot itself is not asked. */
async function usageOf(pid: number): Promise<{ mb: number; cpuS: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const cpuS = (Number(fields[11]) + Number(fields[12])) / 100;
  return { mb: Math.round((Number(fields[21]) * 4_096) / 1_000_000), cpuS };
}

function run(file: string, words: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, "readers", file), [...words], { execArgv: process.execArgv });
  closing.add(async () => void child.kill("SIGKILL"));
  return child;
}

async function serve(file: string, words: readonly string[]) {
  const child = run(file, words);
  const [url] = await once(child, "message");
  return { url: String(url), process: child };
}

/** Somebody else's work on this machine. */
function burn(closing: Closing): void {
  const child = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
  closing.add(async () => void child.kill("SIGKILL"));
}
