import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../../lib/clock.ts";
import { describeError } from "../../../../lib/errors.ts";
import { type Instant, MINUTE } from "../../../../lib/instant.ts";
import { readJson } from "../../../../lib/json.ts";
import type { Logger } from "../../../../lib/log.ts";
import type { InteractionEndpoint } from "../../define-notifier.ts";
import { isSignedBySlack } from "./interaction.ts";
import { ANSWER_WITHIN_MS } from "./listen-socket.ts";
import type { HandledInteraction } from "./slack-actions.ts";
import type { SlackApp } from "./slack-config.ts";

/** Slack posts interactions here; no login, because each request is signed. */
export const SLACK_PATH = "/slack/interactions";

/** An interaction carries the whole message of its button: 13,000 characters, up to nine bytes each in a form. */
const MOST_BYTES = 256 * 1024;

/** Receives what Slack posts when a user clicks a button. Accepts only requests that one of our apps signed. `wall` is the clock for signatures. */
export function createSlackEndpoint(parts: {
  readonly apps: readonly SlackApp[];
  readonly handle: (payload: unknown, app: SlackApp) => Promise<HandledInteraction>;
  readonly wall: Clock;
  readonly log: Logger;
}): InteractionEndpoint {
  const { apps, handle, wall, log } = parts;
  const warnOfUnsigned = onceInAWhile(wall, (address: string, others: number) =>
    log.warn({ address, others }, "slack: a request without a valid, recent signature was refused"),
  );
  return {
    path: SLACK_PATH,
    mostBytes: MOST_BYTES,
    take: async ({ body, header, address }) => {
      const timestamp = header("x-slack-request-timestamp");
      const signature = header("x-slack-signature");
      const app = apps.find(
        ({ signingSecret }) =>
          signingSecret !== undefined &&
          isSignedBySlack(signingSecret, { body, timestamp, signature }, wall.now()),
      );
      if (app === undefined) {
        warnOfUnsigned(address);
        return "NotSigned";
      }
      const payload = payloadOf(body);
      if (payload === null) {
        log.warn({ address }, "slack: a request without a readable payload was refused");
        return "Unfit";
      }
      const work = handle(payload, app);
      const handled = await Promise.race([work, delay(ANSWER_WITHIN_MS, null, { ref: false })]);
      // Slack gets its answer in time; unfinished work continues.
      if (handled === null)
        work.catch((error: unknown) => log.error({ reason: describeError(error) }, "slack: a click failed"));
      return handled?.outcome === "Unfit" ? "Unfit" : "Taken";
    },
  };
}

/** Anybody may post here, so this logs one line a minute, with the number of `others` since the last one. */
function onceInAWhile(
  wall: Clock,
  warn: (address: string, others: number) => void,
): (address: string) => void {
  let loggedAt: Instant | null = null;
  let others = 0;
  return (address) => {
    if (loggedAt !== null && wall.now() - loggedAt < MINUTE) {
      others++;
      return;
    }
    warn(address, others);
    loggedAt = wall.now();
    others = 0;
  };
}

/** A click comes as JSON in a field of the form, a command as the form itself. */
function payloadOf(body: string): unknown {
  const form = new URLSearchParams(body);
  if (form.has("command")) return Object.fromEntries(form);
  return readJson(form.get("payload") ?? "") ?? null;
}
