import { parseArgs } from "node:util";
import { stopSignal } from "../../src/cli/stop-signal.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { ledgerRows } from "../chaos/report.ts";
import { type ReloadsReport, runReloads } from "./run-reloads.ts";

const HELP = `npm run reloads -- [options]

Reloads good and bad files (wrong keys, rules and templates, torn and missing files) while mentions flow and workers are
killed, and finally compares the mentions with what was stored, counted, alerted and sent. Every version has its number
in the rules, the templates and the configuration: a message with two numbers was made of a mixture.

  --times N         how many reloads (1000)
  --seed S          the same seed does the same (1)
  --queue KIND      redis or postgres (redis)
  --rate N          mentions between two reloads (3)
  --kill-every N    one reload in N kills a worker (10)
  --at-most S       no reloads after this many seconds, even if some are left
  --patience S      how long one reload, and the remaining work at the end, may take (120)
  --json            the report as one JSON object

Ctrl-C ends the reloads, and what came until then is compared.
Exits with 1 if something was lost or sent twice, if a process had another version than it should, or a mixture.
`;

const OPTIONS = {
  times: { type: "string", default: "1000" },
  seed: { type: "string", default: "1" },
  queue: { type: "string", default: "redis" },
  rate: { type: "string", default: "3" },
  "kill-every": { type: "string", default: "10" },
  "at-most": { type: "string", default: "86400" },
  patience: { type: "string", default: "120" },
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
  const enough = new AbortController();
  const stop = stopSignal(() => process.stderr.write("no more reloads; waiting until all is done\n"));
  stop.addEventListener("abort", () => enough.abort());
  setTimeout(() => enough.abort(), Number(values["at-most"]) * SECOND).unref();
  const report = await runReloads({
    times: Number(values.times),
    seed: Number(values.seed),
    queue: values.queue === "postgres" ? "postgres" : "redis",
    mentionsEach: Number(values.rate),
    killEvery: Number(values["kill-every"]),
    patienceMs: Number(values.patience) * SECOND,
    signal: enough.signal,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : format(report));
  return report.broken ? 1 : 0;
}

function format(report: ReloadsReport): string {
  const { reloads, kills, mentions, messages, tookUpMs, endedBadly } = report;
  const kinds = Object.entries(reloads).map(([kind, n]) => `${n} ${kind}`);
  return [
    `reloads: ${kinds.join(", ")}; ${kills} workers killed; ${mentions} mentions, ${messages} messages`,
    `all processes took up a good version after ${tookUpMs.median} ms (median), ${tookUpMs.p95} ms (95 in 100), ${tookUpMs.most} ms (most)`,
    `${report.isDrained ? "all work is done" : "NOT all done in time"}; ended badly: ${endedBadly.join(", ") || "none"}`,
    "",
    ...ledgerRows(report.ledger),
    ...(report.lastLines === "" ? [] : ["", "the last log lines of the workers:", report.lastLines]),
    "",
  ].join("\n");
}

function readArguments() {
  try {
    const { values } = parseArgs({ options: OPTIONS, strict: true });
    if (values.queue !== "redis" && values.queue !== "postgres") return "--queue is redis or postgres";
    for (const name of ["times", "seed", "rate", "kill-every", "at-most", "patience"] as const)
      if (!/^\d{1,6}$/.test(values[name])) return `--${name} is a whole number`;
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

process.exitCode = await main();
