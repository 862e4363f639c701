import { existsSync } from "node:fs";
import { HOUR, MINUTE } from "../world.ts";
import { importMentions } from "./earshot.ts";
import type { Play } from "./play.ts";

const FILE = "../shared/data/airline-tweets.jsonl";

/** Whether the file of real mentions is beside the project. */
export function hasAirlines(): boolean {
  return existsSync(FILE);
}

const FIRST = "2015-02-17T07:30:00Z";
const LAST = "2015-02-25T12:00:00Z";

/** A week of tweets about airlines, with a storm in it. `from`, `to`: a part of it, or the time of another file. */
export function airlines({
  file = FILE,
  timezone = "UTC",
  ...given
}: {
  readonly file?: string;
  readonly timezone?: string;
  readonly from?: string;
  readonly to?: string;
} = {}): Play {
  const [from, to] = [Date.parse(given.from ?? FIRST), Date.parse(given.to ?? LAST)];
  // The first days are calm in the shared file.
  const calmUntil = Date.parse(FIRST) + 24 * HOUR;
  return {
    ...{ name: "airlines", timezone, queries: [], rules: "rules", from, to, history: "3d" },
    write: async (pool, projectId) => {
      await importMentions({ pool, path: file, projectId });
    },
    step: (now) => (given.from === undefined && now < calmUntil ? 30 * MINUTE : 10 * MINUTE),
    reads: [from + Math.floor((0.65 * (to - from)) / HOUR) * HOUR],
  };
}
