import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Pool } from "pg";
import { pino } from "pino";
import { WebSocketServer } from "ws";
import { createEnricher } from "../../src/feeds/enrich/enrich.ts";
import { bluesky } from "../../src/feeds/kinds/bluesky.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { runStream, wordsOf } from "../../src/feeds/run/run-stream.ts";
import { configureFeeds } from "../../src/feeds/store/feeds.ts";
import { migrateFeeds } from "../../src/feeds/store/migrate-feeds.ts";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { DAY } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { readProjectQueries } from "../../src/listening-api/assign/assign-queries.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { median } from "./median.ts";

/**
 * Bluesky's stream against 1,000 queries: events a processor second through each step beside bare JSON.parse of the
 * same frames; the share of one processor at 2,000 events a second, over a socket and with a real PostgreSQL; and
 * memory over an hour's stream as fast as it goes.
 */
const { values } = parseArgs({
  options: {
    queries: { type: "string", default: "1000" },
    seconds: { type: "string", default: "30" },
    /** An hour at 2,000 events a second; 0: not at all. */
    events: { type: "string", default: "7200000" },
    /** For the child process: events a second, 0: as fast as it goes; and how many. */
    serve: { type: "string" },
  },
});
const RATE = 2_000;
const FIRST_US = (systemClock.now() - 3_600_000) * 1_000;

let seed = 7;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 4_294_967_296;
}
const SYLLABLES = [
  "ka",
  "lo",
  "mi",
  "ren",
  "tas",
  "ver",
  "no",
  "ble",
  "dri",
  "sun",
  "gor",
  "pa",
  "ze",
  "qui",
];
const VOCABULARY = Array.from({ length: 30_000 }, (_, rank) => {
  let word = "";
  for (let left = rank + 14; left > 0; left = Math.floor(left / 14)) word += SYLLABLES[left % 14];
  return word;
});
/** Few words are frequent and most are rare, as in any language. */
const word = (): string => VOCABULARY[Math.floor(VOCABULARY.length ** random()) - 1] ?? "ka";
/** What people watch is rarer than what all texts are made of. */
const topic = (): string => VOCABULARY[5_000 + Math.floor(random() * 25_000)] ?? "ka";

/** Event number `n`: three quarters posts, a tenth deletes of earlier ones, the rest about accounts. */
function frameOf(n: number, texts: readonly string[]): string {
  const head = `{"did":"did:plc:user${n % 50_021}","time_us":${FIRST_US + n * 500},`;
  const kind = n % 20;
  if (kind >= 18)
    return `${head}"kind":"identity","identity":{"did":"did:plc:user${n % 50_021}","handle":"h.example","seq":${n}}}`;
  if (kind === 17)
    return `${head}"kind":"account","account":{"active":${n % 400 !== 17},"did":"did:plc:user${n % 50_021}","seq":${n}${n % 400 === 17 ? ',"status":"deactivated"' : ""}}}`;
  if (kind >= 15)
    return `${head}"kind":"commit","commit":{"rev":"r${n}","operation":"delete","collection":"app.bsky.feed.post","rkey":"k${n - 50_021}"}}`;
  const record = `{"$type":"app.bsky.feed.post","createdAt":"2026-11-23T12:00:00.000Z","langs":["en"],"reply":{"parent":{"cid":"bafyreib","uri":"at://did:plc:a/app.bsky.feed.post/3k"},"root":{"cid":"bafyreib","uri":"at://did:plc:a/app.bsky.feed.post/3k"}},"text":${texts[n % texts.length]}}`;
  return `${head}"kind":"commit","commit":{"rev":"r${n}","operation":"create","collection":"app.bsky.feed.post","rkey":"k${n}","record":${record},"cid":"bafyreib"}}`;
}
const texts = Array.from({ length: 40_000 }, () =>
  JSON.stringify(Array.from({ length: 8 + Math.floor(random() * 30) }, word).join(" ")),
);

if (values.serve !== undefined) await serve(Number(values.serve));
else await measure();

/** A server in a process of its own. */
async function serve(rate: number): Promise<void> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const address = server.address();
  process.send?.(typeof address === "object" && address !== null ? address.port : 0);
  const [socket] = (await once(server, "connection")) as [import("ws").WebSocket];
  const startedAt = monotonicMs();
  for (let n = 0; socket.readyState === socket.OPEN; ) {
    const due = rate === 0 ? n + 500 : Math.floor(((monotonicMs() - startedAt) * rate) / 1_000);
    for (; n < due; n++) socket.send(frameOf(n, texts));
    await (rate === 0 ? new Promise(setImmediate) : delay(10));
    while (socket.bufferedAmount > 4_000_000) await delay(2);
  }
  server.close();
}

async function measure(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "earshot-bench-"));
  await chmod(root, 0o755);
  const log = pino({ level: "warn" }, pino.destination(2));
  const postgres = await startEmbeddedPostgres({ dataDir: join(root, "postgres"), log });
  const pool = new Pool({ connectionString: postgres.url, max: 4 });
  pool.on("error", () => {});
  try {
    await migrateFeeds(pool);
    const queries = Array.from({ length: Number(values.queries) }, (_, n) => {
      const [a, b, c] = [topic(), topic(), topic()];
      const forms = [
        `${a} OR "${b} ${c}"`,
        `(${a} OR ${b}) AND ${word()} NOT ${c}`,
        `${a} NEAR/5 ${word()}`,
        `#${a} OR @${b}`,
      ];
      return { name: `q${n}`, text: forms[n % forms.length] ?? a };
    });
    const { projectId } = await seedAccount(pool, {
      client: { name: "Bench" },
      user: { username: "bench", password: "bench" },
      project: { name: "Bench" },
      queries,
      at: systemClock.now() - DAY,
    });
    const db = createDatabase(pool);
    await inMemory(await readProjectQueries(db, projectId));
    const enricher = await createEnricher({ language: true, sentiment: "local" } as never);
    const parts = {
      db,
      project: { id: projectId, timezone: "Etc/UTC" },
      enricher: async () => enricher,
      log,
    };
    const live = await overSocket(parts, RATE, RATE * Number(values.seconds), () => {});
    console.log(
      `\nat ${RATE} events a second, with socket, language, sentiment and PostgreSQL: ${(100 * live.cpu).toFixed(0)} % of one processor, ${live.perSecond.toFixed(0)} events/s, ${live.matched} of ${live.frames} matched and stored`,
    );
    const hour = Number(values.events);
    if (hour === 0) return;
    const say = (cells: readonly unknown[]) =>
      console.log(cells.map((cell) => String(cell).padStart(14)).join(""));
    console.log(`\n${hour} events (${(hour / RATE / 60).toFixed(0)} minutes of stream) as fast as it goes`);
    say(["events", "events/s", "resident MB", "heap MB"]);
    let [next, before, at] = [hour / 10, 0, monotonicMs()];
    const fast = await overSocket(parts, 0, hour, (frames) => {
      if (frames < next) return;
      const { rss, heapUsed } = process.memoryUsage();
      const rate = ((frames - before) * 1_000) / (monotonicMs() - at);
      say([frames, rate.toFixed(0), (rss / 1e6).toFixed(0), (heapUsed / 1e6).toFixed(0)]);
      [next, before, at] = [next + hour / 10, frames, monotonicMs()];
    });
    console.log(
      `${fast.perSecond.toFixed(0)} events/s, ${(fast.frames / fast.cpuSeconds).toFixed(0)} events a processor second of this process, ${fast.matched} matched and stored, ${fast.deleted} deleted`,
    );
  } finally {
    await pool.end();
    await postgres.stop();
    await rm(root, { recursive: true, force: true });
  }
}

/** Steps without socket and database, in turns. */
async function inMemory(queries: Awaited<ReturnType<typeof readProjectQueries>>): Promise<void> {
  const frames = Array.from({ length: 20_000 }, (_, n) => frameOf(n, texts));
  const { stream } = bluesky;
  if (stream === undefined) throw new Error("it is a stream");
  const batches = Array.from({ length: 10 }, (_, n) => frames.slice(n * 2_000, (n + 1) * 2_000));
  let candidates = 0;
  const steps = {
    "bare JSON.parse": () => frames.map((frame) => JSON.parse(frame)),
    "read to items and deletes": () => batches.map((batch) => stream.read(batch, systemClock.now())),
    "read and match": () => {
      candidates = 0;
      for (const batch of batches)
        for (const item of stream.read(batch, systemClock.now()).items)
          if (queries.mayMatch(wordsOf(item))) candidates++;
    },
  };
  const rates = new Map(Object.keys(steps).map((name) => [name, [] as number[]]));
  for (let round = 0; round < 9; round++)
    for (const [name, step] of Object.entries(steps)) {
      const from = process.cpuUsage();
      step();
      const { user, system } = process.cpuUsage(from);
      rates.get(name)?.push((frames.length * 1e6) / (user + system));
    }
  const bytes = frames.reduce((sum, frame) => sum + frame.length, 0) / frames.length;
  console.log(
    `${values.queries} queries, frames of ${bytes.toFixed(0)} bytes; events a processor second, median of 9`,
  );
  const bare = median(rates.get("bare JSON.parse") ?? []);
  for (const [name, all] of rates)
    console.log(
      `${name.padEnd(28)}${median(all).toFixed(0).padStart(10)}   ${(median(all) / bare).toFixed(2)} of bare`,
    );
  console.log(
    `${((100 * candidates) / frames.length).toFixed(2)} % of the events are matched against whole queries`,
  );
}

async function overSocket(
  parts: Pick<Parameters<typeof runStream>[0], "db" | "project" | "enricher" | "log">,
  rate: number,
  most: number,
  onFrames: (frames: number) => void,
) {
  const child = fork(fileURLToPath(import.meta.url), ["--serve", String(rate)], {
    execArgv: process.execArgv,
  });
  const [port] = (await once(child, "message")) as [number];
  const settings = bluesky.config.parse({
    kind: "bluesky",
    hosts: [`ws://127.0.0.1:${port}`],
    allowPrivateAddress: true,
  });
  const [feed] = planFeeds({ feeds: [settings], queries: [] });
  if (feed === undefined) throw new Error("there is one feed");
  await configureFeeds(parts.db, parts.project.id, [feed]);
  const stop = new AbortController();
  const total = { frames: 0, matched: 0, deleted: 0 };
  let [startedAt, from] = [0, process.cpuUsage()];
  const run = runStream({
    ...parts,
    ...{
      feed,
      clock: systemClock,
      keepMs: 90 * DAY,
      userAgent: "Earshot/bench",
      signal: stop.signal,
      lookEveryMs: 10,
    },
    onBatch({ frames, matched, deleted }) {
      // The first batch compiles the queries.
      if (startedAt === 0) [startedAt, from] = [monotonicMs(), process.cpuUsage()];
      else total.frames += frames;
      total.matched += matched;
      total.deleted += deleted;
      onFrames(total.frames);
      if (total.frames >= most) stop.abort();
    },
  });
  await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  const wallMs = monotonicMs() - startedAt;
  const { user, system } = process.cpuUsage(from);
  await run;
  child.kill();
  const cpuSeconds = (user + system) / 1e6;
  return {
    ...total,
    cpuSeconds,
    cpu: (cpuSeconds * 1_000) / wallMs,
    perSecond: (total.frames * 1_000) / wallMs,
  };
}
