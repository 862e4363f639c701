import { parseArgs } from "node:util";
import { stopSignal } from "../../src/lib/stop-signal.ts";
import { formatReport, isBroken } from "./report.ts";
import { choosePairs, PAIRS, runInterleavings } from "./run.ts";

const HELP = `npm run interleavings -- [options]

Two processes do one task each on the same tables: a poll, a decision, a delivery, a press, a round of a loop. One
is held before each of its statements, one at a time, while the other runs to its end, or until it waits for a
lock of the first; then the first goes on. Facts and messages must be those of one of the two serial orders, and
nothing may be held back longer than in both of them: by a lease that is kept, or by a later try.

  --only PATTERN       only pairs whose name matches this regular expression
  --pairs N            so many of them, chosen by the seed (all)
  --seed S --share N   play N of 100 points of each pair, chosen by the seed (1, 100)
  --parallel N         play scenes in so many processes (3)
  --at-most S          begin no more points after this many seconds
  --bail               begin no more points after the first that is not the same
  --list               print the pairs and play none
  --json               the report as one JSON object

Exits with 1 if a point differed, was late or failed, or if one that was chosen was not played.
`;

const OPTIONS = {
  only: { type: "string" },
  pairs: { type: "string", default: String(PAIRS.length) },
  seed: { type: "string", default: "1" },
  share: { type: "string", default: "100" },
  parallel: { type: "string", default: "3" },
  "at-most": { type: "string", default: "86400" },
  bail: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS, strict: true });
  if (values.help) return print(HELP);
  for (const name of ["pairs", "seed", "share", "parallel", "at-most"] as const)
    if (!/^\d{1,6}$/.test(values[name])) throw new Error(`--${name} is a whole number`);
  const only = values.only === undefined ? null : new RegExp(values.only, "i");
  const chosen = choosePairs({ only, pairs: Number(values.pairs), seed: Number(values.seed) });
  if (chosen.length === 0) throw new Error("no pair has such a name; --list prints them");
  if (values.list) return print(chosen.map((name) => `${name}\n`).join(""));
  const enough = new AbortController();
  stopSignal(() => process.stderr.write("no more points are begun\n")).addEventListener("abort", () =>
    enough.abort(),
  );
  setTimeout(() => enough.abort(), Number(values["at-most"]) * 1_000).unref();
  const report = await runInterleavings({
    only,
    pairs: Number(values.pairs),
    share: Number(values.share),
    seed: Number(values.seed),
    parallel: Math.max(1, Number(values.parallel)),
    bail: values.bail,
    signal: enough.signal,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  print(values.json ? `${JSON.stringify(report)}\n` : formatReport(report));
  return isBroken(report) ? 1 : 0;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}; see --help\n`);
  return 2;
});
