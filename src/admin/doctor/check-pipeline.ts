import {
  checkClock,
  createChannelLimitStore,
  createDeadLetterStore,
  createFailureStore,
  createSettingStore,
  createWatchStore,
  HEARTBEAT_KEY,
  type HeartbeatState,
  openDatabase,
} from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { MINUTE } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import { type Finding, ok, warn } from "./finding.ts";

/** What a running Earshot last reported about itself, and the dead letters. Needs an up-to-date database. */
export async function checkPipeline(url: string, clock: Clock): Promise<readonly Finding[]> {
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    const state = (await createSettingStore(database.db).get(HEARTBEAT_KEY)) as HeartbeatState | null;
    const failures = await createFailureStore(database.db).open();
    const closed = await createChannelLimitStore(database.db).closed();
    const progress = await createWatchStore(database.db).progress();
    const verdict = checkClock({ jumpedMs: 0, progress }, clock.now());
    const letters = await createDeadLetterStore(database.db).open(MOST_LETTERS + 1);
    return [
      pipeline(state, clock),
      ...(verdict.outcome === "Steady"
        ? []
        : [
            warn(
              "clock",
              `a clock was ahead by ${formatDuration(verdict.byMs)} and was set back`,
              CLOCK_ADVICE,
            ),
          ]),
      ...failures
        .filter(({ kind }) => kind === "receiver")
        .map(({ scope, message }) =>
          warn(
            `messages to ${scope}`,
            `the latest failed: ${message}`,
            "They are retried, except messages that were refused for good.",
          ),
        ),
      ...closed.map(({ key, forMs, reason }) =>
        warn(
          `messages by ${key}`,
          `wait for ${formatDuration(forMs)}: ${reason ?? "the vendor asked for it"}`,
          "They are sent in order afterwards, the most severe first.",
        ),
      ),
      letters.length === 0
        ? ok("dead letters", "none")
        : warn(
            "dead letters",
            letters.length > MOST_LETTERS
              ? `more than ${formatNumber(MOST_LETTERS)} mentions, pages or jobs that always failed`
              : counted(
                  letters.length,
                  "mention, page or job that always failed",
                  "mentions, pages or jobs that always failed",
                ),
            "earshot dead-letters list shows them; earshot dead-letters replay tries them again.",
          ),
    ];
  } finally {
    await database.close();
  }
}

const MOST_LETTERS = 1_000;

const CLOCK_ADVICE =
  "A running Earshot polls again at once and learns its counts again. Let every machine follow a time server (NTP).";

function pipeline(state: HeartbeatState | null, clock: Clock): Finding {
  if (state === null) return ok("pipeline", "no Earshot has run on this database yet");
  const agoMs = Math.max(0, clock.now() - state.at);
  if (agoMs > 2 * MINUTE * clock.speed)
    return warn(
      "pipeline",
      `the last health check was ${formatDuration(agoMs)} ago`,
      "Is Earshot running (role sweep)?",
    );
  return state.outcome === "Beats"
    ? ok("pipeline", "polled, judged, able to deliver")
    : warn("pipeline", state.reason, "The alert about it has details.");
}
