import { SECOND } from "../../src/lib/instant.ts";
import { runProgram } from "../chaos/program.ts";
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

await runProgram({
  help: HELP,
  numbers: { times: 1_000, seed: 1, rate: 3, "kill-every": 10 },
  patience: 120,
  onStop: "no more reloads; waiting until all is done",
  run: ({ numbers, ...given }) =>
    runReloads({
      times: numbers.times,
      seed: numbers.seed,
      mentionsEach: numbers.rate,
      killEvery: numbers["kill-every"],
      patienceMs: numbers.patience * SECOND,
      ...given,
    }),
  format,
});

function format(report: ReloadsReport): string {
  const { reloads, kills, mentions, messages, appliedMs, endedBadly } = report;
  const kinds = Object.entries(reloads).map(([kind, n]) => `${n} ${kind}`);
  return [
    `reloads: ${kinds.join(", ")}; ${kills} workers killed; ${mentions} mentions, ${messages} messages`,
    `all processes ran a good version after ${appliedMs.median} ms (median), ${appliedMs.p95} ms (95 in 100), ${appliedMs.most} ms (most)`,
    `${report.isDrained ? "all work is done" : "NOT all done in time"}; ended badly: ${endedBadly.join(", ") || "none"}`,
    "",
    ...ledgerRows(report.ledger),
    ...(report.lastLines === "" ? [] : ["", "the last log lines of the workers:", report.lastLines]),
    "",
  ].join("\n");
}
