import { z } from "zod";
import { formatDuration } from "../../../../lib/duration.ts";
import { readJson } from "../../../../lib/json.ts";
import { ACTION_LABELS } from "../../../model/alert-action.ts";
import { type MentionCorrection, SENTIMENTS } from "../../../model/mention.ts";
import { SILENCE_LENGTHS } from "../../../model/silence.ts";
import type { Renderer } from "../../../templates/create-renderer.ts";
import type { MentionView } from "../../../templates/mention-view.ts";
import type { AlertView } from "../../../templates/view.ts";
import {
  type ActionElement,
  type Block,
  blockKit,
  fitBlocks,
  type RichTextElement,
  type RichTextPart,
} from "./block-kit.ts";

/** The actions of buttons and menus; Slack sends these ids back. */
export const ACTION_IDS = {
  acknowledge: "earshot-acknowledge",
  resolve: "earshot-resolve",
  "not-relevant": "earshot-not-relevant",
  silence: "earshot-silence",
  assign: "earshot-assign",
  correct: "earshot-correct",
  categorize: "earshot-categorize",
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
  const notRelevant = [
    ...(view.handling.isRelevant ? [NOT_RELEVANT] : []),
    ...correct(view),
    ...categorize(view),
  ];
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

/** A menu with the sentiments that the one mention of the message does not have. */
function correct({ correctable }: AlertView): ActionElement[] {
  if (correctable === null) return [];
  const { queryId, resourceId, sentiment: known } = correctable;
  const options = SENTIMENTS.filter((one) => one !== known).map((sentiment) => ({
    text: known === null ? `It is ${sentiment}` : `Not ${known}: ${sentiment}`,
    value: JSON.stringify([sentiment, queryId, resourceId]),
  }));
  return menu(ACTION_IDS.correct, "Sentiment …", options);
}

/**
 * A menu with the subcategories: those that the mention is in come first, and as many as leave room for the rest of the
 * message.
 */
function categorize({ correctable }: AlertView): ActionElement[] {
  if (correctable === null) return [];
  const { queryId, resourceId, categories } = correctable;
  const options: { readonly text: string; readonly value: string }[] = [];
  let letters = 0;
  for (const { id, name, isIn } of categories.toSorted((a, b) => Number(b.isIn) - Number(a.isIn))) {
    const text = isIn ? `Not ${name}` : name;
    const value = JSON.stringify([isIn ? -id : id, queryId, resourceId]);
    letters += text.length + JSON.stringify(value).length + OPTION_FRAME;
    if (letters > MENU_ROOM) break;
    options.push({ text, value });
  }
  return menu(ACTION_IDS.categorize, "Category …", options);
}

/** Of the 9,500 letters of a message; its other buttons take 2,500. Slack takes a hundred choices, and these are fewer. */
const MENU_ROOM = 3_500;
/** What Slack wants to be written around each choice. */
const OPTION_FRAME = 70;

/** None where Slack would refuse it, and the message with it. */
function menu(actionId: string, label: string, options: Parameters<typeof blockKit.select>[2]) {
  const fits = options.length > 0 && options.every(({ value }) => value.length <= MOST_LETTERS);
  return fits ? [blockKit.select(actionId, label, options)] : [];
}

const MOST_LETTERS = 150;

/** A sentiment, or the id of a subcategory; with a minus the mention is taken out of it. */
const Correction = z.tuple([
  z.union([z.enum(SENTIMENTS), z.int().refine((id) => id !== 0)]),
  z.string().min(1),
  z.string().min(1),
]);

/** What a choice of these menus says; null if it is none. */
export function readCorrection(value: string): MentionCorrection | null {
  const read = Correction.safeParse(readJson(value));
  if (!read.success) return null;
  const [said, queryId, resourceId] = read.data;
  return typeof said === "string"
    ? { sentiment: said, queryId, resourceId }
    : { category: Math.abs(said), isIn: said > 0, queryId, resourceId };
}

/** The part of a message that only its sender knows. */
export interface BlockContext {
  /** The alert that buttons act on; null if nobody listens to them. */
  readonly alertId: string | null;
  /** Slack's id of the chart in the message; null for none. */
  readonly picture: string | null;
}

/** Mentions that the message itself shows; the others are in its thread. */
const MENTIONS_IN_MESSAGE = 2;

/**
 * The live message of an alert, in the order in which people ask: what it is about, the mention that set it off, who
 * says it and how big it is, who handles it and the buttons, the chart, another mention, and last the rule's numbers. Text of strangers goes into rich text, whose elements are never parsed; our
 * own text comes from templates.
 */
export function alertBlocks(view: AlertView, renderer: Renderer, context: BlockContext): Block[] {
  const isOver = view.resolvedAt !== null;
  const headline = renderer.render("slack/alert-headline.header", view);
  return fitBlocks([
    ...blockKit.header(headline),
    ...blockKit.section(renderer.render("slack/alert-about.mrkdwn", view)),
    ...mentionBlocks(view.mentions.slice(0, 1), renderer),
    ...blockKit.section(renderer.render("slack/alert-size.mrkdwn", view)),
    ...blockKit.context(renderer.render("slack/alert-handling.mrkdwn", view)),
    ...actionBlocks(view, context.alertId),
    ...blockKit.image(context.picture, `Chart: ${headline}`),
    ...(isOver ? [] : mentionBlocks(view.mentions.slice(1, MENTIONS_IN_MESSAGE), renderer)),
    ...blockKit.context(renderer.render("slack/alert-sure.mrkdwn", view)),
    ...blockKit.context(renderer.render("slack/alert-foot.mrkdwn", view)),
  ]);
}

/** A later reply in the thread: the news in three lines. The edited message above has everything else. */
export function replyBlocks(view: AlertView, renderer: Renderer, context: BlockContext): Block[] {
  return fitBlocks([
    ...blockKit.section(renderer.render("slack/alert-reply.mrkdwn", view)),
    ...(view.resolvedAt === null ? mentionBlocks(view.mentions.slice(0, 1), renderer) : []),
    ...(CALLS.has(view.kind) ? actionBlocks(view, context.alertId) : []),
  ]);
}

/** Replies that need attention again: they appear in the channel, too, and have buttons. */
export const CALLS: ReadonlySet<AlertView["kind"]> = new Set([
  "escalated",
  "doubled",
  "wave",
  "day",
  "fact",
  "reopened",
  "unanswered",
]);

/** The next most important mentions, for which the message has no room; none if it shows all. */
export function detailBlocks(view: AlertView, renderer: Renderer): Block[] {
  const rest = view.resolvedAt === null ? view.mentions.slice(MENTIONS_IN_MESSAGE) : [];
  const mentions = mentionBlocks(rest, renderer);
  if (mentions.length === 0) return [];
  return fitBlocks([...blockKit.section(renderer.render("slack/alert-details.mrkdwn", view)), ...mentions]);
}

/** One rich text block for each mention, so that a message that is too long loses whole mentions. */
export function mentionBlocks(mentions: readonly MentionView[], renderer: Renderer): Block[] {
  return mentions.flatMap((mention) => blockKit.richText(mentionElements(mention, renderer)));
}

function mentionElements(mention: MentionView, renderer: Renderer): RichTextPart[] {
  const facts = renderer.render("slack/alert-mention.header", mention);
  const heading: RichTextElement[] = [
    { type: "text", text: mention.authorName, style: { bold: true } },
    ...(facts === "" ? [] : [{ type: "text" as const, text: ` ${facts}` }]),
  ];
  // Slack refuses an empty text, and a quote of nothing.
  const body: RichTextElement[] = [
    ...(mention.title === null
      ? []
      : [{ type: "text" as const, text: withBreak(mention.title, mention.text), style: { bold: true } }]),
    ...(mention.text === "" ? [] : [{ type: "text" as const, text: mention.text }]),
    ...(mention.url === null || (mention.text === "" && mention.title === null)
      ? []
      : [{ type: "text" as const, text: "  " }]),
    ...(mention.url === null ? [] : [{ type: "link" as const, url: mention.url, text: "open" }]),
  ];
  return [
    { type: "rich_text_section", elements: heading },
    ...(body.length === 0 ? [] : [{ type: "rich_text_quote" as const, elements: body }]),
  ];
}

function withBreak(title: string, text: string): string {
  return text === "" ? title : `${title}\n`;
}
