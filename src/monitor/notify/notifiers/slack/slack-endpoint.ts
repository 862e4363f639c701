import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../../lib/clock.ts";
import { describeError } from "../../../../lib/errors.ts";
import { type Instant, MINUTE } from "../../../../lib/instant.ts";
import { readJson } from "../../../../lib/json.ts";
import type { Logger } from "../../../../lib/log.ts";
import { isSignedBySlack } from "./interaction.ts";
import { ANSWER_WITHIN_MS } from "./listen-socket.ts";
import type { HandledInteraction } from "./slack-actions.ts";
import type { SlackApp } from "./slack-config.ts";

/** Slack posts interactions here; no login, because each request is signed. */
export const SLACK_PATH = "/slack/interactions";

/** Receives what Slack posts when a user clicks a button. */
export interface SlackEndpoint {
  /** Resolves within Slack's time limit. Rejects if nothing could be stored: then Slack shows the user an error. */
  take(request: SlackPost): Promise<"taken" | "not-signed" | "unfit">;
}

export interface SlackPost {
  /** The raw body, because Slack signs it byte for byte. */
  readonly body: string;
  readonly timestamp: string;
  readonly signature: string;
  /** The sender's address, for the log. */
  readonly address: string;
}

/** Accepts only requests that one of our apps signed. `wall` is the clock for signatures. */
export function createSlackEndpoint(parts: {
  readonly apps: readonly SlackApp[];
  readonly interaction: (payload: unknown, app: SlackApp) => Promise<HandledInteraction>;
  readonly wall: Clock;
  readonly log: Logger;
}): SlackEndpoint {
  const { apps, interaction, wall, log } = parts;
  const warnOfUnsigned = onceInAWhile(wall, (address: string, others: number) =>
    log.warn({ address, others }, "slack: a request without a valid, recent signature was refused"),
  );
  return {
    take: async ({ body, timestamp, signature, address }) => {
      const app = apps.find(
        ({ signingSecret }) =>
          signingSecret !== undefined &&
          isSignedBySlack(signingSecret, { body, timestamp, signature }, wall.now()),
      );
      if (app === undefined) {
        warnOfUnsigned(address);
        return "not-signed";
      }
      const payload = payloadOf(body);
      if (payload === null) {
        log.warn({ address }, "slack: a request without a readable payload was refused");
        return "unfit";
      }
      const work = interaction(payload, app);
      const taken = await Promise.race([work, delay(ANSWER_WITHIN_MS, null, { ref: false })]);
      // Slack gets its answer in time; unfinished work continues.
      if (taken === null)
        work.catch((error: unknown) => log.error({ reason: describeError(error) }, "slack: a click failed"));
      return taken?.outcome === "Unfit" ? "unfit" : "taken";
    },
  };
}

/** Anybody may post here, so this logs one line a minute, with the number of `others` since the last one. */
function onceInAWhile(
  wall: Clock,
  warn: (address: string, others: number) => void,
): (address: string) => void {
  let saidAt: Instant | null = null;
  let others = 0;
  return (address) => {
    if (saidAt !== null && wall.now() - saidAt < MINUTE) {
      others++;
      return;
    }
    warn(address, others);
    saidAt = wall.now();
    others = 0;
  };
}

function payloadOf(body: string): unknown {
  return readJson(new URLSearchParams(body).get("payload") ?? "") ?? null;
}
