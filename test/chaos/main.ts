import { parseArgs } from "node:util";
import { stopSignal } from "../../src/cli/stop-signal.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { formatReport } from "./report.ts";
import { runChaos } from "./run-chaos.ts";

const HELP = `npm run chaos -- [options]

Kills workers, the scheduler, the queue and the database of a running Earshot at random moments while mentions come,
and finally compares the mentions with what was stored, counted, alerted and sent.

  --kills N         how many kills (200)
  --seed S          the same seed kills at the same moments (1)
  --queue KIND      redis or postgres (redis)
  --every MS        mean time between two kills (1200)
  --rate N          mentions a second (8)
  --at-most S       no kills after this many seconds, even if some are left
  --patience S      how long the remaining work may take after the last kill (180)
  --json            the report as one JSON object

Ctrl-C ends the kills, and what came until then is compared; a second Ctrl-C ends at once.
Exits with 1 if something was lost, sent without a reason, or sent too often.
`;

const OPTIONS = {
  kills: { type: "string", default: "200" },
  seed: { type: "string", default: "1" },
  queue: { type: "string", default: "redis" },
  every: { type: "string", default: "1200" },
  rate: { type: "string", default: "8" },
  "at-most": { type: "string", default: "86400" },
  patience: { type: "string", default: "180" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const values = readArguments();
  if (typeof values === "string") {
    process.stderr.write(`${values}\n`);
    return 2;
  }
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  // Not AbortSignal.any: one that only has its `aborted` read may lose the signals that it was made of.
  const enough = new AbortController();
  const stop = stopSignal(() => process.stderr.write("no more kills; waiting until all is done\n"));
  stop.addEventListener("abort", () => enough.abort());
  setTimeout(() => enough.abort(), Number(values["at-most"]) * SECOND).unref();
  const report = await runChaos({
    kills: Number(values.kills),
    seed: Number(values.seed),
    queue: values.queue === "postgres" ? "postgres" : "redis",
    everyMs: Number(values.every),
    mentionsPerSecond: Number(values.rate),
    patienceMs: Number(values.patience) * SECOND,
    signal: enough.signal,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : formatReport(report));
  return report.broken ? 1 : 0;
}

function readArguments() {
  try {
    const { values } = parseArgs({ options: OPTIONS, strict: true });
    if (values.queue !== "redis" && values.queue !== "postgres") return "--queue is redis or postgres";
    for (const name of ["kills", "seed", "every", "rate", "at-most", "patience"] as const)
      if (!/^\d{1,6}$/.test(values[name])) return `--${name} is a whole number`;
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

process.exitCode = await main();
