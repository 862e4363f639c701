import { existsSync } from "node:fs";
import { HOUR, MINUTE } from "../world.ts";
import { importMentions } from "./earshot.ts";
import type { Play } from "./play.ts";

const FILE = "../shared/data/airline-tweets.jsonl";

/** Whether the file of real mentions is beside the project. */
export function hasAirlines(): boolean {
  return existsSync(FILE);
}

/** A week of tweets about airlines, with a storm in it. */
export function airlines(file = FILE): Play {
  const from = Date.parse("2015-02-17T07:30:00Z");
  const to = Date.parse("2015-02-25T12:00:00Z");
  return {
    ...{ name: "airlines", timezone: "UTC", queries: [], rules: "rules", from, to, history: "3d" },
    write: async (pool, projectId) => {
      await importMentions({ pool, path: file, projectId });
    },
    // The first days are calm in this file.
    step: (now) => (now < from + 24 * HOUR ? 30 * MINUTE : 10 * MINUTE),
    reads: [Date.parse("2015-02-22T20:00:00Z")],
  };
}
