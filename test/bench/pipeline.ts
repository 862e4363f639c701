import { parseArgs } from "node:util";
import { request } from "undici";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { createLine, type Line } from "./line.ts";
import { median } from "./median.ts";
import { type PageServer, startPageServer } from "./pages.ts";
import { profileStages } from "./profile-stages.ts";
import { timeStore } from "./time-store.ts";

/**
 * Mentions a second of (a) a bare loop of undici.request and JSON.parse and (b) the whole line: fetch, store in a
 * PostgreSQL that syncs every commit, judge by the shipped rules. Both over the same full pages, in turns, so that a
 * busy moment of the machine hits both; every turn of (b) begins with empty tables. See README.md.
 */
const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "8" },
    rounds: { type: "string", default: "5" },
    history: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
});
const options = {
  pages: Number(values.pages),
  rounds: Number(values.rounds),
  history: values.history,
  profile: values.profile,
};
const PAGE_SIZE = 5_000;

const closing = createClosing();
try {
  const server = await startPageServer({ pages: options.pages, pageSize: PAGE_SIZE });
  closing.add(server.close);
  const database = await openBenchDatabase(closing);
  const line = await createLine(database, server, options);
  closing.add(line.close);
  if (options.profile) await profile(line);
  else await compare(server, line);
} finally {
  await closing.close();
}

async function compare(server: PageServer, line: Line): Promise<void> {
  const bare: Measurement[] = [];
  const whole: Measurement[] = [];
  const memory: string[] = [];
  // The first round warms up: code is compiled, connections stand.
  for (let round = 0; round <= options.rounds; round++) {
    const a = await measure(server, () => readBare(server));
    await line.empty();
    const b = await measure(server, () => line.run());
    await line.check();
    const rss = `${Math.round(process.memoryUsage().rss / 1024 / 1024)} MB`;
    if (round === 0) continue;
    bare.push(a);
    whole.push(b);
    memory.push(rss);
    console.log(
      `round ${round}: bare ${show(a)}, line ${show(b)}, ratio ${(b.rate / a.rate).toFixed(2)}, memory ${rss}`,
    );
  }
  const ratios = whole.map(({ rate }, index) => rate / (bare[index]?.rate ?? Number.NaN));
  console.log(`pages of ${PAGE_SIZE} mentions      ${options.pages}, ${await line.stored()}`);
  console.log(`(a) request + JSON.parse    ${summary(bare)}`);
  console.log(`(b) fetch, store, judge     ${summary(whole)}`);
  console.log(`b/a, median of the rounds   ${median(ratios).toFixed(2)}`);
  console.log(`memory after each round     ${memory.join(", ")}`);
}

/** Where the time of one pass goes: on our thread by stage, and waiting for each statement of the transaction. */
async function profile(line: Line): Promise<void> {
  await line.run();
  await line.empty();
  const store = timeStore(line.parts.store);
  const startedAt = monotonicMs();
  const stages = await profileStages(() => line.run({ ...line.parts, store: store.timed }));
  const tookMs = monotonicMs() - startedAt;
  await line.check();
  const row = (name: string, ms: number): string =>
    `  ${name.padEnd(34)} ${(ms / options.pages).toFixed(1).padStart(7)} ms a page ${((100 * ms) / tookMs).toFixed(0).padStart(3)} %`;
  console.log(`one pass over ${options.pages} pages: ${(tookMs / options.pages).toFixed(1)} ms a page`);
  console.log("our thread, by what it works for:");
  for (const [name, ms] of stages) console.log(row(name, ms));
  console.log("waiting for the store, our own work meanwhile included:");
  for (const [name, ms] of store.times()) console.log(row(name, ms));
}

async function readBare(from: PageServer): Promise<number> {
  let count = 0;
  let cursor: string | null = "0";
  while (cursor !== null) {
    const answer = await request(`${from.baseUrl}/projects/${from.projectId}/data/mentions?cursor=${cursor}`);
    const page = JSON.parse(await answer.body.text()) as { results: unknown[]; nextCursor: string | null };
    count += page.results.length;
    cursor = page.nextCursor;
  }
  return count;
}

interface Measurement {
  /** Mentions a second. */
  readonly rate: number;
  /** Processor time of this process (PostgreSQL and the page server have their own), in milliseconds a page. */
  readonly cpuMs: number;
}

async function measure(server: PageServer, work: () => Promise<number>): Promise<Measurement> {
  const cpuAtStart = process.cpuUsage();
  const startedAt = monotonicMs();
  const count = await work();
  if (count !== server.mentions) throw new Error(`${count} of ${server.mentions} mentions were read`);
  const tookMs = monotonicMs() - startedAt;
  const { user, system } = process.cpuUsage(cpuAtStart);
  return { rate: (count * 1_000) / tookMs, cpuMs: (user + system) / 1_000 / options.pages };
}

function show({ rate, cpuMs }: Measurement): string {
  return `${Math.round(rate)} mentions/s (cpu ${Math.round(cpuMs)} ms a page)`;
}

function summary(runs: readonly Measurement[]): string {
  return show({ rate: median(runs.map(({ rate }) => rate)), cpuMs: median(runs.map(({ cpuMs }) => cpuMs)) });
}
