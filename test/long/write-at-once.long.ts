import { expect, test } from "vitest";
import { playRounds } from "../listening-api/writers/play-rounds.ts";

const ROUNDS = Number(process.env["EARSHOT_ROUNDS"] ?? 2_000);
/** Tables that grow make rounds slow, so that they begin anew now and then. */
const AT_A_TIME = 10;
const WRITERS = 8;
const MOST_PER_ROUND_MS = 5_000;

test(
  `${ROUNDS} rounds of eight writers of any kind and eight readers: nothing is missing`,
  async () => {
    let [played, lost] = [0, 0];
    while (played < ROUNDS) {
      const missing = await playRounds(Math.min(AT_A_TIME, ROUNDS - played), Math.random, WRITERS);
      played += Math.min(AT_A_TIME, ROUNDS - played);
      lost += missing.length;
      print(`${played} rounds, ${missing.reduce((sum, { mentions }) => sum + mentions.length, 0)} missing`);
      for (const { round, reader, mentions } of missing.slice(0, 20))
        print(`round ${round}: ${reader} misses ${mentions.length}`);
    }
    expect(lost).toBe(0);
  },
  ROUNDS * MOST_PER_ROUND_MS,
);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
