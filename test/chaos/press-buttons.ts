import { until } from "./until.ts";
import type { World } from "./world.ts";

/** What somebody presses in #pressed, and what the history of the alert says of it. */
export const PRESSES = [
  { button: "acknowledge", event: "AcknowledgedBy", at: "1771864900.000100" },
  { button: "resolve", event: "ResolvedBy", at: "1771864900.000200" },
] as const;

/**
 * Presses the buttons one after the other. As Slack and people do, each press is sent again until it is answered and seen
 * to be done: over whichever socket is open then. Gives up after `patienceMs`; the comparison says what is missing.
 */
export async function pressButtons(
  { slack, factsPool }: Pick<World, "slack" | "factsPool">,
  patienceMs: number,
): Promise<void> {
  for (const { button, event, at } of PRESSES) {
    const id = `press ${at}`;
    const isDone = async (): Promise<boolean> => {
      const found = await factsPool
        .query(
          `select from earshot.alert_events e join earshot.alerts a using (project_id) where a.id = e.alert_id
             and a.rule = 'pressed' and e.what = $1`,
          [event],
        )
        .catch(() => null);
      return (
        (found?.rows.length ?? 0) > 0 && slack.sockets.answered.some(({ envelope_id: one }) => one === id)
      );
    };
    const pressed = await until(patienceMs, async () => {
      if (await isDone()) return true;
      const root = (await slack.messages()).find(
        ({ channelName, threadTs }) => channelName === "pressed" && threadTs === null,
      );
      if (root === undefined || slack.sockets.count() === 0) return false;
      const payload = slack.press(root, `earshot-${button}`, { at });
      slack.sockets.send({ envelope_id: id, type: "interactive", accepts_response_payload: false, payload });
      return until(AGAIN_MS, isDone);
    });
    if (!pressed) return;
  }
}

/** Slack waits three seconds for an answer. */
const AGAIN_MS = 3_000;
