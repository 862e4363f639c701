import { formatDuration } from "../../../lib/duration.ts";
import { ACTION_LABELS } from "../../../model/alert-link.ts";
import { SILENCE_LENGTHS } from "../../../model/silence.ts";
import type { AlertView } from "../../../templates/view.ts";
import { type ActionElement, type Block, blockKit } from "./block-kit.ts";

/** What a press can mean; the names come back with it. */
export const ACTION_IDS = {
  acknowledge: "earshot-acknowledge",
  resolve: "earshot-resolve",
  "not-relevant": "earshot-not-relevant",
  silence: "earshot-silence",
  assign: "earshot-assign",
} as const;

const ALERT_PREFIX = "earshot-alert:";

/** The alert that a row of buttons is about; null for rows that are not ours. It says nothing of what may be done. */
export function alertOfBlock(blockId: string): string | null {
  return blockId.startsWith(ALERT_PREFIX) ? blockId.slice(ALERT_PREFIX.length) : null;
}

/**
 * What people can do about the alert as it stands: nothing that would be refused is offered. `alertId` null: nobody
 * listens to presses, so there is only the way to the page.
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

// A thumb slips at night, and these two end the alert for everybody.
const RESOLVE = blockKit.button(ACTION_IDS.resolve, ACTION_LABELS.resolve, {
  confirm: {
    title: "Resolve the alert?",
    text: "The alert ends for everybody who was told of it. It opens again if it becomes more severe or comes back.",
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
