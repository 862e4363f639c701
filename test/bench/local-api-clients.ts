import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { request } from "undici";
import { DAY } from "../../src/lib/instant.ts";
import { FIRST, fillMentions, startBenchServer } from "./local-api-server.ts";

/**
 * How long clients wait that call a local API with many mentions at a steady pace: pages of 100, counts, and charts of a
 * week. Servers run in processes of their own. A call counts from the moment at which it was due. Then twice as many
 * clients, until the slowest twentieth waits longer than 300 ms; and word clouds of everything.
 */
const { values } = parseArgs({
  options: {
    mentions: { type: "string", default: "1000000" },
    clients: { type: "string", default: "10" },
    "per-second": { type: "string", default: "4" },
    seconds: { type: "string", default: "30" },
    servers: { type: "string", default: "1" },
    most: { type: "string", default: "160" },
  },
});
const [mentions, perSecond, seconds] = [values.mentions, values["per-second"], values.seconds].map(
  Number,
) as [number, number, number];
const DAYS = 90;
const SLOW_MS = 300;
const QUERIES = ["One", "Two", "Three", "Four"];

const bench = await startBenchServer(QUERIES);
const children: ReturnType<typeof fork>[] = [];
try {
  const started = performance.now();
  await fillMentions(bench, { mentions, days: DAYS, of: texts() });
  const { rows } = await bench.pool.query(
    "select pg_size_pretty(pg_database_size(current_database())) as size",
  );
  console.log(`${mentions} mentions in ${since(started)} s, ${rows[0].size}`);
  const urls = await Promise.all(Array.from({ length: Number(values.servers) }, startServer));
  await measureClouds(urls[0] ?? "");
  await run(urls, 2, 10, true);
  let [held, clients] = [0, Number(values.clients)];
  for (; clients <= Number(values.most); clients *= 2) {
    if ((await run(urls, clients, seconds)) > SLOW_MS) break;
    held = clients;
  }
  console.log(
    `${held === 0 ? "no number of" : held} clients of ${perSecond} calls a second have p95 below ${SLOW_MS} ms for every kind of call; ` +
      (clients > Number(values.most) ? "more were not tried" : `it ends below ${clients}`),
  );
} finally {
  for (const child of children) child.kill("SIGKILL");
  await bench.close();
}

/** A server in a process of its own, over the same tables. Gives the address of the project. */
async function startServer(): Promise<string> {
  const child = fork(join(import.meta.dirname, "local-api-child.ts"), [bench.databaseUrl], {
    execArgv: ["--import", "tsx"],
  });
  children.push(child);
  const [url] = (await once(child, "message")) as [string];
  return `${url}/projects/${bench.projectId}`;
}

type Kind = "page" | "next page" | "count" | "chart";

/** Gives the time below which 95 of 100 calls were answered, of the worst kind of call. */
async function run(urls: readonly string[], clients: number, forSeconds: number, isWarmUp = false) {
  const waits = new Map<Kind, number[]>();
  let failed = 0;
  const before = usedSoFar();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const random = sequence(client + 1);
      const url = urls[client % urls.length] ?? "";
      let cursor: { address: string; cursor: string } | undefined;
      const open: Promise<void>[] = [];
      for (let n = 0; n < forSeconds * perSecond; n++) {
        const due = began + ((n + client / clients) * 1_000) / perSecond;
        await delay(Math.max(0, due - performance.now()));
        const kind: Kind = (["page", "next page", "count", "chart"] as const)[n % 4] ?? "page";
        const address =
          kind === "next page" && cursor !== undefined
            ? `${cursor.address}&cursor=${cursor.cursor}`
            : addressOf(kind, random);
        open.push(
          call(`${url}/${address}`)
            .then((body) => {
              const kept = waits.get(kind) ?? [];
              kept.push(performance.now() - due);
              waits.set(kind, kept);
              const next = /"nextCursor":"([^"]+)"/.exec(body.slice(-3_000))?.[1];
              if (kind === "page" && next !== undefined) cursor = { address, cursor: next };
            })
            .catch(() => {
              failed++;
            }),
        );
      }
      await Promise.all(open);
    }),
  );
  if (isWarmUp) return 0;
  if (failed > 0) {
    console.log(`${String(clients).padStart(4)} clients: ${failed} calls got no answer, which is too many`);
    return Number.POSITIVE_INFINITY;
  }
  const took = (performance.now() - began) / 1_000;
  const used = usedSoFar();
  const all = [...waits.values()].flat();
  const perCall = (seconds: number) => ((seconds * 1_000) / all.length).toFixed(1);
  const line = (of: readonly number[]) =>
    [0.5, 0.95, 0.99].map((share) => `${at(of, share).toFixed(0)}`.padStart(5)).join(" /");
  console.log(
    `${String(clients).padStart(4)} clients, ${(all.length / took).toFixed(0)} calls a second: p50 / p95 / p99 in ms: all ${line(all)}; ` +
      `${[...waits].map(([kind, of]) => `${kind} ${line(of)}`).join("; ")}; ` +
      `a call takes ${perCall(used.servers - before.servers)} ms of the servers' processor and ${perCall(used.postgres - before.postgres)} of PostgreSQL's, ` +
      `${((used.servers - before.servers + used.postgres - before.postgres) / took).toFixed(2)} of ${availableParallelism()} processors in all`,
  );
  return Math.max(...[...waits.values()].map((of) => at(of, 0.95)));
}

function addressOf(kind: Kind, random: () => number): string {
  const week = FIRST + Math.floor(random() * (DAYS - 7)) * DAY;
  const queryId = bench.queryIds[Math.floor(random() * bench.queryIds.length)] ?? 0;
  const range = `queryId=${queryId}&startDate=${day(week)}&endDate=${day(week + 7 * DAY)}`;
  const pick = (of: readonly string[]) => of[Math.floor(random() * of.length)] ?? "";
  switch (kind) {
    case "page":
    case "next page":
      return `data/mentions?${range}&pageSize=100&orderBy=${pick(["date", "added", "updated"])}`;
    case "count":
      return `data/mentions/count?${range}${pick(["", "&sentiment=negative", "&pageType=news"])}`;
    case "chart":
      return `data/${pick(["volume/days/sentiment", "volume/queries/days", "volume/days/pageTypes", "netSentiment/days/queries"])}?${range}`;
  }
}

async function measureClouds(url: string): Promise<void> {
  for (const path of ["data/volume/topics/queries", "data/topics"]) {
    const times: number[] = [];
    const before = usedSoFar();
    for (let n = 0; n < 3; n++) {
      const started = performance.now();
      await call(
        `${url}/${path}?queryId=${bench.queryIds[0]}&queryId=${bench.queryIds[1]}&startDate=2026-01-01&endDate=2026-12-31`,
      );
      times.push(performance.now() - started);
    }
    const used = usedSoFar();
    const perCall = (seconds: number) => ((seconds * 1_000) / times.length).toFixed(0);
    console.log(
      `word cloud ${path} of ${mentions / 2} mentions: ${times.map((one) => one.toFixed(0)).join(", ")} ms; ` +
        `a call takes ${perCall(used.servers - before.servers)} ms of the servers' processor and ${perCall(used.postgres - before.postgres)} of PostgreSQL's`,
    );
  }
}

async function call(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { headers: { authorization: `bearer ${bench.token}` } });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${url}: status ${statusCode}: ${text.slice(0, 300)}`);
  return text;
}

/** Two hundred texts of other words each, on three kinds of pages. */
function texts() {
  const random = sequence(7);
  const words = Array.from({ length: 800 }, () =>
    Array.from({ length: 3 + Math.floor(random() * 7) }, () =>
      String.fromCharCode(97 + Math.floor(random() ** 1.5 * 26)),
    ).join(""),
  );
  return Array.from({ length: 200 }, (_, n) => ({
    snippet: Array.from({ length: 30 }, () => words[Math.floor(random() ** 2 * words.length)]).join(" "),
    ...{ url: `https://news.example/acme/${n}`, domain: "news.example", author: `author${n % 90}` },
    pageType: ["twitter", "news", "forum"][n % 3] ?? "news",
    sentiment: ["negative", "neutral", "positive"][n % 3] ?? "neutral",
    ...{ language: "en", impressions: n * 10, reachEstimate: n * 7 },
  }));
}

function at(figures: readonly number[], share: number): number {
  return (
    figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))] ?? 0
  );
}

/** Seconds of processor, so far: what tells of a call even where other programs keep the machine busy. */
function usedSoFar(): { readonly servers: number; readonly postgres: number } {
  const all = readdirSync("/proc").flatMap((pid) => (/^\d+$/.test(pid) ? statOf(Number(pid)) : []));
  const sum = (of: typeof all) => of.reduce((total, { seconds }) => total + seconds, 0);
  const servers = new Set(children.map(({ pid }) => pid));
  return {
    servers: sum(all.filter(({ pid }) => servers.has(pid))),
    postgres: sum(all.filter(({ parent, pid }) => [parent, pid].includes(bench.postgresPid))),
  };
}

function statOf(pid: number) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // Of PostgreSQL's own process also what its children took that have ended.
    const own = pid === bench.postgresPid ? [11, 12, 13, 14] : [11, 12];
    const ticks = own.reduce((sum, field) => sum + Number(fields[field]), 0);
    return [{ pid, parent: Number(fields[1]), seconds: ticks / 100 }];
  } catch {
    return []; // It has just ended.
  }
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function since(started: number): string {
  return ((performance.now() - started) / 1_000).toFixed(0);
}

/** The same numbers at every run. */
function sequence(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}
