import { formatDuration } from "../../../lib/duration.ts";
import { ACTION_LABELS } from "../../../model/alert-action.ts";
import { SILENCE_LENGTHS } from "../../../model/silence.ts";
import type { AlertView } from "../../../templates/view.ts";
import { type ActionElement, type Block, blockKit } from "./block-kit.ts";

/** The actions of buttons and menus; Slack sends these ids back. */
export const ACTION_IDS = {
  acknowledge: "earshot-acknowledge",
  resolve: "earshot-resolve",
  "not-relevant": "earshot-not-relevant",
  silence: "earshot-silence",
  assign: "earshot-assign",
} as const;

const ALERT_PREFIX = "earshot-alert:";

/** The alert of a row of buttons; null for rows that are not ours. It grants no permission. */
export function alertOfBlock(blockId: string): string | null {
  return blockId.startsWith(ALERT_PREFIX) ? blockId.slice(ALERT_PREFIX.length) : null;
}

/**
 * The actions that the alert's state allows: none that would be refused. `alertId` null: nobody listens to buttons, so
 * there is only the link to the page.
 */
export function actionBlocks(view: AlertView, alertId: string | null): Block[] {
  const link = blockKit.linkButton("Open in Earshot", view.consoleUrl);
  if (alertId === null || view.kind === "test") return blockKit.actions(link);
  return blockKit.actions([...actions(view), ...link], `${ALERT_PREFIX}${alertId}`);
}

function actions(view: AlertView): ActionElement[] {
  const notRelevant = view.handling.isRelevant ? [NOT_RELEVANT] : [];
  if (view.resolvedAt !== null) return notRelevant;
  return [
    ...(view.handling.acknowledgedBy === null ? [ACKNOWLEDGE] : []),
    ASSIGN,
    SILENCE,
    RESOLVE,
    ...notRelevant,
  ];
}

const ACKNOWLEDGE = blockKit.button(ACTION_IDS.acknowledge, ACTION_LABELS.acknowledge, { style: "primary" });

const ASSIGN = blockKit.userSelect(ACTION_IDS.assign, "Assign to …");

const SILENCE = blockKit.select(
  ACTION_IDS.silence,
  "Snooze for …",
  SILENCE_LENGTHS.map((ms) => ({ text: formatDuration(ms), value: formatDuration(ms) })),
);

// These two end the alert for everybody, so a wrong tap must be confirmed.
const RESOLVE = blockKit.button(ACTION_IDS.resolve, ACTION_LABELS.resolve, {
  confirm: {
    title: "Resolve the alert?",
    text: "The alert ends for everybody who was notified. It opens again if it becomes more severe or comes back.",
    yes: "Resolve",
    no: "Not yet",
  },
});
const NOT_RELEVANT = blockKit.button(ACTION_IDS["not-relevant"], ACTION_LABELS["not-relevant"], {
  confirm: {
    title: "Not relevant?",
    text: "The alert is resolved, and counts against the precision of its rule.",
    yes: "Not relevant",
    no: "Keep it",
  },
});
