import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { BUCKET_MS } from "../../../src/monitor/model/judging.ts";
import { closeBucket, type SpikeSettings } from "../../../src/monitor/rules/spike/detector.ts";
import { gatesOf, type SpikeTuning, TUNING } from "../../../src/monitor/rules/spike/sensitivity.ts";
import { createSpikeState } from "../../../src/monitor/rules/spike/spike-state.ts";

// The series and labels of the spike kit. They are outside of the project.

export const KIT = join(import.meta.dirname, "../../../../shared/spike");

/** Counts of one series, and the ranges of buckets, both ends inside, in which an alert is right. */
export interface LabelledSeries {
  readonly name: string;
  readonly startAt: number;
  readonly counts: readonly number[];
  readonly windows: readonly (readonly [number, number])[];
}

/** False if the kit is absent; then prints what is missing. */
export function isKitHere(): boolean {
  const missing = ["labels.json", "lib.mjs", "score.mjs", "simulate.mjs", "new-data/events"].filter(
    (file) => !existsSync(join(KIT, file)),
  );
  if (missing.length > 0) console.error(`nothing was measured: ../shared/spike lacks ${missing.join(", ")}`);
  return missing.length === 0;
}

export function readLabelled(): LabelledSeries[] {
  const labels = readJson<{ series: Record<string, { file: string; windows: [string, string][] }> }>(
    "labels.json",
  );
  return Object.entries(labels.series).map(([name, { file, windows }]) =>
    readCsv(name, join("data", file), windows),
  );
}

/** Requests of a load balancer, two of whose moments are labelled: a series of another kind. */
export function readLoadBalancer(): LabelledSeries {
  const file = "elb_request_count_8c0756.csv";
  const windows = readJson<Record<string, [string, string][]>>("new-data/nab/windows.json")[file] ?? [];
  return readCsv("load balancer", join("new-data/nab", file), windows);
}

/** Moments of real events, one for each line, as counts of two years. */
export function readEvents(name: string, from: number, days: number): LabelledSeries {
  const text = gunzipSync(readFileSync(join(KIT, "new-data/events", `${name}.txt.gz`))).toString();
  const counts = new Array<number>((days * 86_400_000) / BUCKET_MS).fill(0);
  for (const line of text.trim().split("\n")) {
    const bucket = Math.floor((Number(line) * 1_000 - from) / BUCKET_MS);
    if (bucket >= 0 && bucket < counts.length) counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return { name, startAt: from, counts, windows: [] };
}

export interface Options {
  readonly tuning?: SpikeTuning;
  readonly cooldownBuckets?: number;
  readonly zone?: string;
}

/** The buckets at whose end the detector alerts. */
export function alertsOf(series: LabelledSeries, options: Options = {}): number[] {
  const { tuning = TUNING, cooldownBuckets = 72, zone = "UTC" } = options;
  const gates = gatesOf("remarkable", tuning);
  const settings: SpikeSettings = { gates, cooldownBuckets, atLeast: 0, tuning, zone };
  const state = createSpikeState(series.startAt);
  return series.counts.flatMap((count) => {
    const { bucket, step } = closeBucket(state, count === 0 ? [] : [{ age: 0, count }], settings);
    return step === "opened" || step === "renewed" ? [bucket] : [];
  });
}

/**
 * The last buckets of the ten largest bursts: two hours with the most mentions, at least six hours apart, once the series
 * has been known for two weeks. A reader wants to be notified of most of them.
 */
export function largestBursts({ counts }: LabelledSeries): number[] {
  const [width, apart, known] = [24, 72, 14 * 288];
  let sum = 0;
  const windows = counts.map((count, bucket) => {
    sum += count - (counts[bucket - width] ?? 0);
    return { bucket, sum };
  });
  const bursts: number[] = [];
  for (const { bucket } of windows.filter((one) => one.bucket >= known).sort((a, b) => b.sum - a.sum)) {
    if (bursts.length === 10) break;
    if (bursts.every((other) => Math.abs(other - bucket) >= apart)) bursts.push(bucket);
  }
  return bursts;
}

function readCsv(
  name: string,
  file: string,
  windows: readonly (readonly [string, string])[],
): LabelledSeries {
  const rows = readFileSync(join(KIT, file), "utf8")
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((row) => row.split(","));
  const startAt = utc(rows[0]?.[0] ?? "");
  const counts: number[] = [];
  for (const [stamp = "", value = ""] of rows) {
    // Rows may be missing; what nobody counted is read as nothing.
    const bucket = Math.round((utc(stamp) - startAt) / BUCKET_MS);
    while (counts.length < bucket) counts.push(0);
    counts[bucket] = Math.round(Number(value));
  }
  const bucketAt = (stamp: string): number => Math.round((utc(stamp) - startAt) / BUCKET_MS);
  return { name, startAt, counts, windows: windows.map(([from, to]) => [bucketAt(from), bucketAt(to)]) };
}

function utc(stamp: string): number {
  return Date.parse(/Z$/.test(stamp) ? stamp : `${stamp.replace(" ", "T")}Z`);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(KIT, file), "utf8")) as T;
}
