import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { Agent, request } from "undici";
import type { PushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { type Closing, createClosing } from "../../src/lib/closing.ts";
import { openBenchDatabaseUrl } from "./bench-database.ts";
import { createStages } from "./event-stages.ts";
import { startPushMonitor, TOKEN } from "./push-monitor.ts";

/**
 * From a mention that a program pushes to the moment at which the vendor has the webhook, everything in this process.
 * Beside it, in the same run, process and database, the limit: accept a request, commit one row durably, post one request.
 */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "60" },
    rates: { type: "string", default: "0,1,20,50,200" },
    json: { type: "boolean", default: false },
    stages: { type: "boolean", default: false },
  },
});
const EVENTS = Number(values.events);
/** Mentions a second that no rule matches, around those that are measured. */
const RATES = values.rates.split(",").map(Number);
const BURST = 1_000;
/** Longer than this counts as lost. */
const LATE_MS = 30_000;

const stages = values.stages ? createStages() : null;

interface Latencies {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Deterministic, so that two runs have the same moments. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** The vendor: says when the request that names a marker has arrived, and counts how often. */
async function startVendor(closing: Closing) {
  const waiting = new Map<string, () => void>();
  const seen = new Map<string, number>();
  const url = await serve(closing, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    response.end("ok");
    for (const marker of new Set(
      Buffer.concat(chunks)
        .toString()
        .match(/marker\d+x/g),
    )) {
      seen.set(marker, (seen.get(marker) ?? 0) + 1);
      waiting.get(marker)?.();
    }
  });
  const arrivalOf = (marker: string): Promise<void> => new Promise((resolve) => waiting.set(marker, resolve));
  return { url, arrivalOf, seen };
}

async function serve(closing: Closing, listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.add(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function latenciesOf(sorted: readonly number[]): Latencies {
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 10) /
    10;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Sends each event at a random moment, about one after the other, and measures how long its message takes. */
async function measure(
  vendor: Awaited<ReturnType<typeof startVendor>>,
  send: (marker: string) => Promise<void>,
  options: { readonly events: number; readonly everyMs: number; readonly prefix: number },
): Promise<Latencies & { readonly lost: number; readonly twice: number }> {
  const random = createRandom(options.prefix);
  const took: number[] = [];
  let [lost, twice] = [0, 0];
  const markers: string[] = [];
  for (let n = 0; n < options.events; n++) {
    await delay(random() * options.everyMs);
    const marker = `marker${options.prefix}${String(n).padStart(4, "0")}x`;
    markers.push(marker);
    const startedAt = monotonicMs();
    const arrived = vendor.arrivalOf(marker);
    await send(marker);
    const isHere = await Promise.race([arrived.then(() => true), delay(LATE_MS, false, { ref: false })]);
    stages?.end();
    if (isHere) took.push(monotonicMs() - startedAt);
    else lost++;
  }
  for (const marker of markers) if ((vendor.seen.get(marker) ?? 0) > 1) twice++;
  return { ...latenciesOf(took.toSorted((a, b) => a - b)), lost, twice };
}

/** Accept, one durable commit, one request. */
async function startLimit(closing: Closing, databaseUrl: string, vendorUrl: string, agent: Agent) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  closing.add(() => client.end());
  await client.query("create table if not exists limit_event (at timestamptz, text text)");
  const url = await serve(closing, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    await client.query("insert into limit_event values (now(), $1)", [text]);
    response.end("ok");
    const posted = await request(vendorUrl, { method: "POST", body: text, dispatcher: agent });
    await posted.body.dump();
  });
  return (marker: string) => post(url, JSON.stringify({ id: marker, text: marker }), agent);
}

async function post(url: string, body: string, agent: Agent): Promise<void> {
  const answer = await request(url, { method: "POST", body, dispatcher: agent });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
}

/** The door of the push feed, without the console around it. */
async function servePush(closing: Closing, push: PushEndpoint): Promise<string> {
  return serve(closing, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { status, body } = await push.take(TOKEN, JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status).end(JSON.stringify(body));
  });
}

let calm = 0;
const calmMention = () => {
  calm++;
  return {
    id: `calm-${calm}`,
    text: `Acme opened a shop today, part ${calm}`,
    author: `Passer-by ${calm % 500}`,
  };
};
const urgentMention = (marker: string) => ({
  id: marker,
  text: `Acme is urgent, says ${marker}`,
  author: `Author ${marker}`,
});

/** Pushes mentions that no rule matches, evenly, ten times a second at most. */
function startBackground(url: string, agent: Agent, perSecond: number): () => Promise<void> {
  const stopping = new AbortController();
  const posts = Math.min(10, perSecond);
  const running = (async () => {
    const startedAt = monotonicMs();
    for (let n = 0; perSecond > 0 && !stopping.signal.aborted; n++) {
      const waitMs = startedAt + (n * 1_000) / posts - monotonicMs();
      if (waitMs > 0) await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) break;
      const some = Array.from({ length: perSecond / posts }, calmMention);
      await post(url, JSON.stringify(some), agent);
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}

const closing = createClosing();
try {
  const databaseUrl = await openBenchDatabaseUrl(closing);
  const agent = new Agent({ connections: 8 });
  closing.add(() => agent.close());
  const vendor = await startVendor(closing);
  const limit = await startLimit(closing, databaseUrl, vendor.url, agent);
  const url = await servePush(
    closing,
    await startPushMonitor(closing, { databaseUrl, vendorUrl: vendor.url }),
  );
  const urgent = async (marker: string): Promise<void> => {
    stages?.begin();
    await post(url, JSON.stringify(urgentMention(marker)), agent);
  };
  // The first ones compile code, open connections and learn.
  await measure(vendor, limit, { events: 20, everyMs: 10, prefix: 1 });
  await measure(vendor, urgent, { events: 5, everyMs: 500, prefix: 2 });
  const results: Record<string, Latencies & { lost: number; twice: number }> = {};
  results["limit"] = await measure(vendor, limit, { events: EVENTS, everyMs: 200, prefix: 3 });
  for (const [place, perSecond] of RATES.entries()) {
    const stop = startBackground(url, agent, perSecond);
    if (perSecond > 0) await delay(2_000);
    else stages?.clear();
    const name = perSecond === 0 ? "idle" : `at${perSecond}`;
    results[name] = await measure(vendor, urgent, { events: EVENTS, everyMs: 1_500, prefix: 10 + place });
    await stop();
    if (perSecond === 0) stages?.print();
  }
  const burst = async (marker: string): Promise<void> => {
    const many = Array.from({ length: BURST - 1 }, calmMention);
    await post(url, JSON.stringify([...many, urgentMention(marker)]), agent);
  };
  const bursts = Math.max(3, Math.round(EVENTS / 6));
  if (RATES.length > 1)
    results["burst"] = await measure(vendor, burst, { events: bursts, everyMs: 3_000, prefix: 20 });
  print(results);
} finally {
  await closing.close();
}

function print(results: Readonly<Record<string, Latencies & { lost: number; twice: number }>>): void {
  if (values.json) {
    console.log(JSON.stringify(results));
    return;
  }
  const limit = results["limit"];
  console.log("milliseconds from the push until the vendor has the request");
  for (const [name, { p50, p95, p99, lost, twice }] of Object.entries(results)) {
    const beside =
      limit === undefined || name === "limit"
        ? ""
        : `  ${(p50 / limit.p50).toFixed(1)} and ${(p99 / limit.p99).toFixed(1)} times the limit`;
    console.log(
      `${name.padEnd(6)} p50 ${p50.toFixed(1).padStart(8)}  p95 ${p95.toFixed(1).padStart(8)}  p99 ${p99.toFixed(1).padStart(8)}${beside}` +
        (lost + twice > 0 ? `  LOST ${lost}, TWICE ${twice}` : ""),
    );
  }
  console.log(
    `events ${EVENTS} each; idle: alone; at20: beside 20 other mentions a second; burst: the last of 1,000`,
  );
}
