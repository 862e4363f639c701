import { expect, test } from "vitest";
import { replayedAlerts, simulatedAlerts } from "../lab/backtest/as-replay.ts";
import { sharedFile } from "../listening-api/shared-data.ts";

const RULES = new URL("../../rules", import.meta.url).pathname;
const tweets = sharedFile("airline-tweets.jsonl");

// Some minutes: nine thousand tweets of eight days through the whole monitor.
test.skipIf("absent" in tweets)(
  `a backtest of real tweets gives the alerts of their replay${"absent" in tweets ? ` (${tweets.absent})` : ""}`,
  async () => {
    if ("absent" in tweets) return;
    const simulated = await simulatedAlerts(tweets.path, RULES);
    expect(simulated.length).toBeGreaterThan(10);
    expect(simulated).toEqual(await replayedAlerts(tweets.path, RULES));
  },
  900_000,
);
