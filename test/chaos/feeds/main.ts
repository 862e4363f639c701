import { parseArgs } from "node:util";
import { stopSignal } from "../../../src/cli/stop-signal.ts";
import { SECOND } from "../../../src/lib/instant.ts";
import { ledgerRows } from "../report.ts";
import { type FeedChaosReport, runFeedChaos } from "./run-feed-chaos.ts";

const HELP = `npm run chaos:feeds -- [options]

Kills two whole Earshots on one database again and again while three servers of feeds (RSS, Hacker News, a Jetstream) and
a sender of pushes misbehave. Items are edited and deleted meanwhile. Finally compares what the sources hold with what is
stored, counted, alerted and sent, and looks for deleted texts in every table, the queue and Slack.

  --kills N         how many kills (60)
  --seed S          the same seed kills in the same order (1)
  --queue KIND      redis or postgres (redis)
  --every MS        mean time between a start and the next kill (1000)
  --at-most S       no kills after this many seconds, even if some are left
  --patience S      how long the remaining work may take after the last kill (180)
  --json            the report as one JSON object

Ctrl-C ends the kills, and what came until then is compared; a second Ctrl-C ends at once.
Exits with 1 if something was lost, stored or sent twice, or kept after its delete.
`;

const OPTIONS = {
  kills: { type: "string", default: "60" },
  seed: { type: "string", default: "1" },
  queue: { type: "string", default: "redis" },
  every: { type: "string", default: "1000" },
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
  const enough = new AbortController();
  const stop = stopSignal(() => process.stderr.write("no more kills; waiting until all is right\n"));
  stop.addEventListener("abort", () => enough.abort());
  setTimeout(() => enough.abort(), Number(values["at-most"]) * SECOND).unref();
  const report = await runFeedChaos({
    kills: Number(values.kills),
    seed: Number(values.seed),
    queue: values.queue === "postgres" ? "postgres" : "redis",
    everyMs: Number(values.every),
    patienceMs: Number(values.patience) * SECOND,
    signal: enough.signal,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : format(report));
  return report.broken ? 1 : 0;
}

function format(report: FeedChaosReport): string {
  const { kills, killedForMs, settledAfterMs, items, seed, queue, faults, gaveUp, endedBadly } = report;
  const settled =
    settledAfterMs === null
      ? "NOT all right in time"
      : `all right ${Math.round(settledAfterMs / SECOND)} s after the last`;
  return [
    `${kills} kills in ${Math.round(killedForMs / SECOND)} s, ${settled}; seed ${seed}, queues on ${queue}`,
    `${items.all} items: ${items.gone} deleted, ${items.edited} edited`,
    `faults: ${Object.entries(faults)
      .map(([name, times]) => `${times} ${name}`)
      .join(", ")}`,
    `${gaveUp} workers gave up and were followed by others; ended badly: ${endedBadly.join(", ") || "none"}`,
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
    for (const name of ["kills", "seed", "every", "at-most", "patience"] as const)
      if (!/^\d{1,6}$/.test(values[name])) return `--${name} is a whole number`;
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

process.exitCode = await main();
