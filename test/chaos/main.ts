import { SECOND } from "../../src/lib/instant.ts";
import { runProgram } from "./program.ts";
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

await runProgram({
  help: HELP,
  numbers: { kills: 200, seed: 1, every: 1_200, rate: 8 },
  patience: 180,
  onStop: "no more kills; waiting until all is done",
  run: ({ numbers, ...given }) =>
    runChaos({
      kills: numbers.kills,
      seed: numbers.seed,
      everyMs: numbers.every,
      mentionsPerSecond: numbers.rate,
      patienceMs: numbers.patience * SECOND,
      ...given,
    }),
  format: formatReport,
});
