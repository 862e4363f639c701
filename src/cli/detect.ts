import type { Writable } from "node:stream";
import type { Command } from "commander";
import { createCountsReader, createPictureFiles, type PlotLook } from "#lab";
import { BUCKET_MS, gatesOf, SENSITIVITIES, type SpikeSettings, significanceGate } from "#monitor";
import { parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import { isNamedZone } from "../lib/local-time.ts";
import { writeText } from "./common/print.ts";

interface DetectOptions {
  readonly bucket: string;
  readonly cooldown: string;
  readonly sensitivity: string;
  readonly chance?: string;
  readonly atLeast: string;
  readonly plot?: string;
  readonly theme?: string;
  readonly timeZone?: string;
}

/** `earshot detect < counts.csv`: the spike detector on counts from a file, one JSON line for each alert. */
export function defineDetectCommand(command: Command): void {
  command
    .option("--bucket <duration>", "width of the buckets in the file: 5m, and no other", "5m")
    .option("--cooldown <duration>", "no second alert of a series within this time", "3h")
    .option("--sensitivity <name>", "remarkable, any-anomaly or strict", "remarkable")
    .option("--chance <p>", "alert on significance alone, at this probability")
    .option("--at-least <mentions>", "a window with fewer mentions never alerts", "0")
    .option("--plot <file>", "also draw counts, expectation, band and alerts: a .png or .svg, one a series")
    .option("--theme <name>", "of the picture: light or dark", "light")
    .option("--time-zone <zone>", "whose hours count, in what is expected and in the picture", "UTC")
    .option("--json", "JSON lines (the only format there is)")
    .addHelpText("after", HELP)
    .action((options: DetectOptions) => detect(options, process.stdin, process.stdout, process.stderr));
}

const HELP = `
Examples:
  earshot detect --at-least 20 < counts.csv
  earshot detect --sensitivity strict --plot spikes.svg < counts.csv

Columns: timestamp,value or series,timestamp,value or, where mentions arrive late, series,timestamp,arrived,value.
Rows are grouped by series and in order of time (of arrival, in the late form); times are starts of buckets, UTC.`;

/**
 * Streams: memory does not grow with the file. With `plot` it writes pictures and names them on `notes`. Throws a
 * UserError for a bad option or row.
 */
export async function detect(
  options: DetectOptions,
  input: AsyncIterable<Buffer | string>,
  output: Writable,
  notes: NodeJS.WritableStream,
): Promise<void> {
  const pictures = options.plot === undefined ? undefined : createPictureFiles(options.plot);
  const reader = createCountsReader(
    settingsOf(options),
    pictures === undefined ? undefined : lookOf(options),
  );
  const keep = async (lines: string): Promise<void> => {
    if (lines !== "") await writeText(output, lines);
    for (const { series, svg } of reader.takeDrawings()) await pictures?.add(series, svg);
  };
  // A character of several bytes may be split between two chunks.
  const decoder = new TextDecoder();
  try {
    for await (const chunk of input) {
      await keep(reader.read(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })));
    }
    await keep(reader.read(decoder.decode()));
    await keep(reader.end());
  } finally {
    for (const file of (await pictures?.end()) ?? []) notes.write(`${file}\n`);
  }
}

function lookOf({ theme = "light", timeZone = "UTC" }: DetectOptions): PlotLook {
  if (theme !== "light" && theme !== "dark") throw new UserError(`--theme ${theme}: expected light or dark`);
  return { theme, zone: timeZone };
}

function settingsOf(options: DetectOptions): SpikeSettings {
  if (parseDuration(options.bucket) !== BUCKET_MS) {
    throw new UserError(`--bucket ${options.bucket}: the detector works on buckets of 5m`);
  }
  const cooldownMs = parseDuration(options.cooldown);
  const { timeZone: zone = "UTC" } = options;
  if (!isNamedZone(zone)) {
    throw new UserError(`--time-zone ${zone}: expected a name such as Europe/Berlin`);
  }
  if (cooldownMs === undefined) throw new UserError(`--cooldown ${options.cooldown}: expected e.g. 3h`);
  return {
    gates: options.chance === undefined ? namedGates(options.sensitivity) : significanceGate(chance(options)),
    cooldownBuckets: Math.round(cooldownMs / BUCKET_MS),
    atLeast: atLeastOf(options.atLeast),
    zone,
  };
}

function namedGates(text: string): SpikeSettings["gates"] {
  const sensitivity = SENSITIVITIES.find((name) => name === text.replaceAll("-", " "));
  if (sensitivity === undefined) {
    throw new UserError(`--sensitivity ${text}: expected remarkable, any-anomaly or strict`);
  }
  return gatesOf(sensitivity);
}

function chance(options: DetectOptions): number {
  const p = Number(options.chance);
  if (!(p > 0 && p < 0.5)) throw new UserError(`--chance ${options.chance}: expected a number such as 1e-4`);
  return p;
}

function atLeastOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0)
    throw new UserError(`--at-least ${text}: expected a whole number`);
  return count;
}
