import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import { readJson } from "../../lib/read-json.ts";
import type { Logger } from "../../log.ts";
import { isSignedBySlack } from "../../notify/notifiers/slack/is-signed-by-slack.ts";
import { ANSWER_WITHIN_MS } from "../../notify/notifiers/slack/listen-socket.ts";
import type { SlackApp } from "../../notify/notifiers/slack/slack-apps.ts";
import type { SlackEndpoint } from "../../web/slack-routes.ts";
import type { HandledInteraction } from "./slack-actions.ts";

/** Lets in what one of our apps signed, and nothing else. `wall` is the time of signatures. */
export function createSlackEndpoint(parts: {
  readonly apps: readonly SlackApp[];
  readonly interaction: (payload: unknown, app: SlackApp) => Promise<HandledInteraction>;
  readonly wall: Clock;
  readonly log: Logger;
}): SlackEndpoint {
  const { apps, interaction, wall, log } = parts;
  const warnOfUnsigned = onceInAWhile(wall, (address: string, others: number) =>
    log.warn({ address, others }, "slack: a request that Slack did not sign, or long ago, was refused"),
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
      // Slack is answered in time; what is still at work goes on.
      if (taken === null)
        work.catch((error: unknown) => log.error({ reason: describeError(error) }, "slack: a press failed"));
      return taken?.outcome === "Unfit" ? "unfit" : "taken";
    },
  };
}

/** Anybody may post here: a line a minute says so, with how many `others` came since the last one. */
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
