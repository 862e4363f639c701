import { SECOND } from "../../../src/lib/instant.ts";
import { gapSentence } from "../note-gap.ts";
import { runProgram } from "../program.ts";
import { ledgerRows } from "../report.ts";
import { type FeedChaosReport, runFeedChaos } from "./run-feed-chaos.ts";

const HELP = `npm run chaos:feeds -- [options]

Kills two whole Earshots on one database again and again while four servers of feeds (RSS, a site with a hub, Hacker News,
a Jetstream), the hub and a sender of pushes misbehave. Items are edited and deleted meanwhile. Finally compares what the sources hold with what is
stored, counted, alerted and sent, and looks for deleted texts in every table, the queue and Slack.

  --kills N         how many kills (60)
  --seed S          the same seed kills in the same order (1)
  --queue KIND      redis or postgres (redis)
  --every MS        mean time between a start and the next kill (1000)
  --at-most S       no kills after this many seconds, even if some are left
  --patience S      how long nothing may get better after the last kill, until all is right (180)
  --json            the report as one JSON object

Ctrl-C ends the kills, and what came until then is compared; a second Ctrl-C ends at once.
Exits with 1 if something was lost, stored or sent twice, or kept after its delete.
`;

await runProgram({
  help: HELP,
  numbers: { kills: 60, seed: 1, every: 1_000 },
  patience: 180,
  onStop: "no more kills; waiting until all is right",
  run: ({ numbers, ...given }) =>
    runFeedChaos({
      kills: numbers.kills,
      seed: numbers.seed,
      everyMs: numbers.every,
      patienceMs: numbers.patience * SECOND,
      ...given,
    }),
  format,
});

function format(report: FeedChaosReport): string {
  const { kills, killedForMs, settledAfterMs, items, seed, queue, faults, gap, repeats, gaveUp, endedBadly } =
    report;
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
    gapSentence(gap),
    ...repeats,
    `${gaveUp} workers gave up and were followed by others; ended badly: ${endedBadly.join(", ") || "none"}`,
    "",
    ...ledgerRows(report.ledger),
    ...(report.lastLines === "" ? [] : ["", "the last log lines of the workers:", report.lastLines]),
    "",
  ].join("\n");
}
