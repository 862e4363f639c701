import type { Renderer } from "../../../templates/create-renderer.ts";
import type { MentionView } from "../../../templates/mention-view.ts";
import type { AlertView } from "../../../templates/view.ts";
import { actionBlocks } from "./action-blocks.ts";
import { type Block, blockKit, fitBlocks, type RichTextElement, type RichTextPart } from "./block-kit.ts";

/** What of a message is known only where it is sent. */
export interface BlockContext {
  /** The alert that buttons are about; null where nobody listens to presses. */
  readonly alertId: string | null;
  /** The picture in the message, as Slack calls it; null for none. */
  readonly picture: string | null;
}

/** Mentions that the message itself shows; the others are in its thread. */
const MENTIONS_IN_MESSAGE = 2;

/**
 * The message that stands for an alert: the number in words, the first mention, who handles it and what can be done,
 * how sure it is, the picture, another mention, the fine print. What strangers wrote goes into rich text, whose elements are never parsed;
 * prose comes from templates.
 */
export function alertBlocks(view: AlertView, renderer: Renderer, context: BlockContext): Block[] {
  const isOver = view.resolvedAt !== null;
  const headline = renderer.render("slack/alert-headline.header", view);
  return fitBlocks([
    ...blockKit.header(headline),
    ...blockKit.section(renderer.render("slack/alert-why.mrkdwn", view)),
    ...(isOver ? [] : mentionBlocks(view.mentions.slice(0, 1), renderer)),
    ...blockKit.context(renderer.render("slack/alert-handling.mrkdwn", view)),
    ...actionBlocks(view, context.alertId),
    ...blockKit.context(renderer.render("slack/alert-sure.mrkdwn", view)),
    ...blockKit.image(context.picture, `Chart: ${headline}`),
    ...(isOver ? [] : mentionBlocks(view.mentions.slice(1, MENTIONS_IN_MESSAGE), renderer)),
    ...blockKit.context(renderer.render("slack/alert-foot.mrkdwn", view)),
  ]);
}

/** What is sent later, in the thread: what is new, in three lines. The message above has the rest, and is edited. */
export function replyBlocks(view: AlertView, renderer: Renderer, context: BlockContext): Block[] {
  return fitBlocks([
    ...blockKit.section(renderer.render("slack/alert-reply.mrkdwn", view)),
    ...(view.resolvedAt === null ? mentionBlocks(view.mentions.slice(0, 1), renderer) : []),
    ...(CALLS.has(view.kind) ? actionBlocks(view, context.alertId) : []),
  ]);
}

/** These call for somebody again, in the channel, so what can be done stands with them. */
const CALLS: ReadonlySet<AlertView["kind"]> = new Set([
  "escalated",
  "doubled",
  "wave",
  "reopened",
  "unanswered",
]);

/** The mentions that matter, too, and that the message has no room for; none where it shows all. */
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
  const body: RichTextElement[] = [
    { type: "text", text: mention.text },
    ...(mention.url === null
      ? []
      : [
          { type: "text" as const, text: "  " },
          { type: "link" as const, url: mention.url, text: "open" },
        ]),
  ];
  return [
    { type: "rich_text_section", elements: heading },
    { type: "rich_text_quote", elements: body },
  ];
}
