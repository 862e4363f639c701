import { expect, test } from "vitest";
import { replayed, simulated } from "../lab/backtest/as-replay.ts";
import { sharedFile } from "../listening-api/shared-data.ts";

const RULES = new URL("../../rules", import.meta.url).pathname;
const tweets = sharedFile("airline-tweets.jsonl");

// Some minutes: nine thousand tweets of eight days through the whole monitor.
test.skipIf("absent" in tweets)(
  `a backtest of real tweets gives the alerts and incidents of their replay${"absent" in tweets ? ` (${tweets.absent})` : ""}`,
  async () => {
    if ("absent" in tweets) return;
    const found = await simulated(tweets.path, RULES);
    expect(found.alerts.length).toBeGreaterThan(10);
    expect(found).toEqual(await replayed(tweets.path, RULES));
  },
  900_000,
);
