import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type ReplaySpeed, startReplay } from "../../../src/lab/replay/replay.ts";
import type { ReplayReport } from "../../../src/lab/replay/report.ts";
import { MINUTE, toIso } from "../../../src/lib/instant.ts";

const FROM = Date.parse("2015-02-17T08:00:00Z");
const RULES = new URL("../../fixtures/replay-rules", import.meta.url).pathname;
const TEMPLATES = new URL("../../../templates", import.meta.url).pathname;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-replay-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("as fast as the machine goes, or by a running clock, the alerts are the same", async () => {
  const fast = await replay(await aFile("fast.jsonl"), "max");
  const slow = await replay(await aFile("slow.jsonl"), 20_000);
  expect(fast.mentions).toEqual([
    { query: "Acme", served: 70, stored: 70 },
    { query: "Globex", served: 12, stored: 12 },
  ]);
  expect(fast.alerts.map(({ rule, query }) => `${query} ${rule}`)).toEqual([
    "Globex recall-words",
    "Acme busy-half-hour",
    "Acme mostly-negative",
  ]);
  expect(slow.alerts).toEqual(fast.alerts);
  expect(fast.deliveries.every(({ failed, pending }) => failed === 0 && pending === 0)).toBe(true);
});

test("a replay that is cut off goes on where it was, and comes to the same", async () => {
  const whole = await replay(await aFile("whole.jsonl"), "max");
  const file = await aFile("cut.jsonl");
  const aborter = new AbortController();
  await expect(
    replay(file, "max", { signal: aborter.signal, onShare: (share) => share > 0.3 && aborter.abort() }),
  ).rejects.toThrow("aborted");
  const shares: number[] = [];
  const resumed = await replay(file, "max", { onShare: (share) => shares.push(share) });
  expect(shares[0]).toBeGreaterThan(0.2);
  expect(resumed.alerts).toEqual(whole.alerts);
  expect(resumed.mentions).toEqual(whole.mentions);
});

test("lines that are no mentions are reported with their reason, and the others are replayed", async () => {
  const file = join(folder, "broken.jsonl");
  await writeFile(file, `${line("a", "Acme", FROM, "neutral", "Fine")}\nnot json\n{"id":"b"}\n`);
  const skipped: number[] = [];
  const report = await replay(file, "max", { onSkipped: (number) => skipped.push(number) });
  expect(skipped).toEqual([2, 3]);
  expect(report.mentions).toEqual([{ query: "Acme", served: 1, stored: 1 }]);
});

test("a file without a mention is a fault of its own", async () => {
  const file = join(folder, "empty.jsonl");
  await writeFile(file, "\n");
  await expect(replay(file, "max")).rejects.toThrow("holds no mention");
});

interface Watch {
  readonly signal?: AbortSignal;
  readonly onShare?: (share: number) => unknown;
  readonly onSkipped?: (line: number) => unknown;
}

async function replay(file: string, speed: ReplaySpeed, health: Watch = {}): Promise<ReplayReport> {
  const running = await startReplay({
    file,
    speed,
    databaseUrl: inject("postgresUrl"),
    redisUrl: null,
    rules: RULES,
    templates: TEMPLATES,
    consoleUrl: () => null,
    log: pino({ level: "silent" }),
    onProgress: (progress) => progress.phase === "replay" && health.onShare?.(progress.share),
    signal: health.signal ?? new AbortController().signal,
  });
  for (const { line: number } of running.skipped) health.onSkipped?.(number);
  try {
    return await running.run();
  } finally {
    await running.stop();
  }
}

/** A quiet morning, then an hour in which Acme is talked about and does not like it. */
async function aFile(name: string): Promise<string> {
  const lines: string[] = [];
  for (let i = 0; i < 20; i++)
    lines.push(line(`calm-${i}`, "Acme", FROM + i * 9 * MINUTE, "neutral", `Calm ${i}`));
  for (let i = 0; i < 50; i++) {
    lines.push(line(`storm-${i}`, "Acme", FROM + 180 * MINUTE + i * MINUTE, "negative", `Angry ${i}`));
  }
  for (let i = 0; i < 12; i++) {
    const text = i === 3 ? "Is there a recall?" : `All is well ${i}`;
    lines.push(line(`globex-${i}`, "Globex", FROM + i * 17 * MINUTE, "positive", text));
  }
  const file = join(folder, name);
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
}

function line(id: string, brand: string, at: number, sentiment: string, text: string): string {
  const date = toIso(at).replace("Z", "+0000");
  return JSON.stringify({ id, brand, author: "someone", text, date, sentiment, retweets: 0 });
}
