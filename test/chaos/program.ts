import { parseArgs } from "node:util";
import { SECOND } from "../../src/lib/instant.ts";
import { stopSignal } from "../../src/lib/stop-signal.ts";

/** What a program of chaos is started with. `signal`: no more kills. */
export interface ProgramOptions<Name extends string> {
  readonly numbers: Readonly<Record<Name, number>>;
  readonly queue: "redis" | "postgres";
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

/**
 * Runs a program of chaos with the options of its command line: whole numbers, `--queue`, `--at-most`, `--patience`,
 * `--json` and `--help`. Exits with 1 if the report is broken, with 2 for a wrong option.
 */
export async function runProgram<Name extends string, Report extends { readonly broken: boolean }>(program: {
  readonly help: string;
  /** The options that are whole numbers, with their defaults. */
  readonly numbers: Readonly<Record<Name, number>>;
  /** How long the remaining work may take, in seconds, unless --patience says it. */
  readonly patience: number;
  /** Printed after Ctrl-C. */
  readonly onStop: string;
  readonly run: (given: ProgramOptions<Name | "patience">) => Promise<Report>;
  readonly format: (report: Report) => string;
}): Promise<void> {
  const defaults = { ...program.numbers, patience: program.patience, "at-most": 86_400 };
  const given = readArguments(defaults);
  if (typeof given === "string") {
    process.stderr.write(`${given}\n`);
    process.exitCode = 2;
    return;
  }
  if (given.help) {
    process.stdout.write(program.help);
    return;
  }
  // Not AbortSignal.any: one that only has its `aborted` read may lose the signals that it was made of.
  const enough = new AbortController();
  stopSignal(() => process.stderr.write(`${program.onStop}\n`)).addEventListener("abort", () =>
    enough.abort(),
  );
  setTimeout(() => enough.abort(), given.numbers["at-most"] * SECOND).unref();
  const report = await program.run({
    numbers: given.numbers,
    queue: given.queue,
    signal: enough.signal,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  process.stdout.write(given.json ? `${JSON.stringify(report)}\n` : program.format(report));
  process.exitCode = report.broken ? 1 : 0;
}

function readArguments<Name extends string>(defaults: Readonly<Record<Name, number>>) {
  const names = Object.keys(defaults) as Name[];
  const whole = names.map((name) => [name, { type: "string", default: String(defaults[name]) }] as const);
  try {
    const { values } = parseArgs({
      options: {
        ...Object.fromEntries(whole),
        queue: { type: "string", default: "redis" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
      strict: true,
    });
    const { queue, json, help } = values;
    if (queue !== "redis" && queue !== "postgres") return "--queue is redis or postgres";
    const written: Readonly<Record<string, unknown>> = values;
    for (const name of names)
      if (!/^\d{1,6}$/.test(String(written[name]))) return `--${name} is a whole number`;
    const numbers = Object.fromEntries(names.map((name) => [name, Number(written[name])]));
    return {
      numbers: numbers as Record<Name, number>,
      queue,
      json: json === true,
      help: help === true,
    } as const;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
