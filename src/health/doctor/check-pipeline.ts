import type { Clock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { MINUTE } from "../../lib/instant.ts";
import { createChannelLimitStore } from "../../store/channel-limits.ts";
import { openDatabase } from "../../store/database.ts";
import { createDeadLetterStore } from "../../store/dead-letters.ts";
import { createFailureStore } from "../../store/failures.ts";
import { createSettingStore } from "../../store/settings.ts";
import { HEARTBEAT_KEY, type HeartbeatState } from "../heartbeat.ts";
import { type Finding, ok, warn } from "./finding.ts";

/** What a running Earshot last said of itself, and what stands aside. The database is up to date. */
export async function checkPipeline(url: string, clock: Clock): Promise<readonly Finding[]> {
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    const state = (await createSettingStore(database.db).get(HEARTBEAT_KEY)) as HeartbeatState | null;
    const failures = await createFailureStore(database.db).open();
    const closed = await createChannelLimitStore(database.db).closed();
    const aside = await createDeadLetterStore(database.db).open(1_000);
    return [
      line(state, clock),
      ...failures
        .filter(({ kind }) => kind === "receiver")
        .map(({ scope, message }) =>
          warn(
            `messages to ${scope}`,
            `the latest failed: ${message}`,
            "They are tried again; what was refused for good is not.",
          ),
        ),
      ...closed.map(({ key, forMs, reason }) =>
        warn(
          `messages by ${key}`,
          `wait for ${formatDuration(forMs)}: ${reason ?? "the vendor asked for it"}`,
          "They come in their order when it is over, the gravest first.",
        ),
      ),
      aside.length === 0
        ? ok("set aside", "nothing")
        : warn(
            "set aside",
            `${aside.length} mentions, pages or jobs that always failed`,
            "earshot dead-letters list shows them; replay tries them again.",
          ),
    ];
  } finally {
    await database.close();
  }
}

function line(state: HeartbeatState | null, clock: Clock): Finding {
  if (state === null) return ok("line", "no Earshot has run on this database yet");
  const agoMs = Math.max(0, clock.now() - state.at);
  if (agoMs > 2 * MINUTE * clock.speed)
    return warn(
      "line",
      `Earshot last looked at itself ${formatDuration(agoMs)} ago`,
      "Is it running (role sweep)?",
    );
  return state.outcome === "Beats"
    ? ok("line", "polled, judged, able to deliver")
    : warn("line", state.reason, "The alert about it says more.");
}
