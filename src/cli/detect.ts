import type { Command } from "commander";
import { parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import { BUCKET_MS } from "../spike/constants.ts";
import type { SpikeSettings } from "../spike/detector.ts";
import type { SwingForm } from "../spike/gates.ts";
import { gatesOf, SENSITIVITIES, significanceGate } from "../spike/sensitivity.ts";
import { createCountsReader } from "./detect/counts-reader.ts";

interface DetectOptions {
  readonly bucket: string;
  readonly cooldown: string;
  readonly sensitivity: string;
  readonly chance?: string;
  readonly atLeast: string;
  readonly form: string;
}

/** `earshot detect < counts.csv`: the spike detector on counts from a file, one JSON line for each alert. */
export function addDetectCommand(program: Command): void {
  program
    .command("detect")
    .description("Reads mention counts (CSV) on standard input and prints one JSON line for each spike.")
    .option("--bucket <duration>", "width of the buckets in the file", "5m")
    .option("--cooldown <duration>", "no second alert of a series within this time", "3h")
    .option("--sensitivity <name>", "remarkable, any-anomaly or strict", "remarkable")
    .option("--chance <p>", "alert on significance alone, at this probability")
    .option("--at-least <mentions>", "a window with fewer mentions never alerts", "0")
    .option("--form <form>", "what is usual: seasonal (for the hour) or flat (over all hours)", "seasonal")
    .option("--json", "JSON lines (the only format there is)")
    .addHelpText("after", HELP)
    .action((options: DetectOptions) => detect(options, process.stdin, process.stdout));
}

const HELP = `
Columns: timestamp,value or series,timestamp,value or, where mentions arrive late, series,timestamp,arrived,value.
Rows are grouped by series and in order of time (of arrival, in the late form); times are starts of buckets, UTC.`;

/** Streams: memory does not grow with the file. Throws a UserError for a bad option or row. */
export async function detect(
  options: DetectOptions,
  input: AsyncIterable<Buffer | string>,
  output: NodeJS.WritableStream,
): Promise<void> {
  const reader = createCountsReader(settingsOf(options));
  for await (const chunk of input) {
    const lines = reader.read(chunk.toString());
    if (lines !== "" && !output.write(lines)) await new Promise((resume) => output.once("drain", resume));
  }
  output.write(reader.end());
}

function settingsOf(options: DetectOptions): SpikeSettings {
  if (parseDuration(options.bucket) !== BUCKET_MS) {
    throw new UserError(`--bucket ${options.bucket}: the detector works on buckets of 5m`);
  }
  const cooldownMs = parseDuration(options.cooldown);
  if (cooldownMs === undefined) throw new UserError(`--cooldown ${options.cooldown}: expected e.g. 3h`);
  return {
    gates: options.chance === undefined ? namedGates(options.sensitivity) : significanceGate(chance(options)),
    form: formOf(options.form),
    cooldownBuckets: Math.round(cooldownMs / BUCKET_MS),
    atLeast: atLeastOf(options.atLeast),
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

function formOf(text: string): SwingForm {
  if (text === "flat" || text === "seasonal") return text;
  throw new UserError(`--form ${text}: expected seasonal or flat`);
}

function atLeastOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0)
    throw new UserError(`--at-least ${text}: expected a whole number`);
  return count;
}
