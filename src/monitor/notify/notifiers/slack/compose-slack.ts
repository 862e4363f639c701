import type { Renderer } from "../../../templates/create-renderer.ts";
import { type DigestStoryRow, type DigestView, shortenDigest } from "../../../templates/digest-view.ts";
import type { TemplateName } from "../../../templates/template-names.ts";
import type { AlertView } from "../../../templates/view.ts";
import type { MessageContent } from "../../define-notifier.ts";
import { alertBlocks, type BlockContext, detailBlocks, mentionBlocks, replyBlocks } from "./alert-blocks.ts";
import { type Block, blockKit, fitBlocks, type RichTextPart } from "./block-kit.ts";

/** The blocks, and `text` that replaces them in push notifications. */
export interface SlackContent {
  readonly text: string;
  readonly blocks: Block[];
}

/** `thread`: the replies that are posted at once. Without the chart, which is uploaded. */
export interface SlackPreview extends SlackContent {
  readonly thread: readonly SlackContent[];
}

const ALONE: BlockContext = { alertId: null, picture: null };

/** The live message of an alert, or a digest. */
export function composeSlack(
  content: MessageContent,
  renderer: Renderer,
  context: BlockContext = ALONE,
): SlackContent {
  if (content.kind === "digest") {
    return {
      text: renderer.render("slack/digest-fallback.mrkdwn", content.view),
      blocks: digestBlocks(content.view, renderer),
    };
  }
  return { text: fallback(content.view, renderer), blocks: alertBlocks(content.view, renderer, context) };
}

/** A later reply in the thread of an alert's message. */
export function composeReply(view: AlertView, renderer: Renderer, context: BlockContext): SlackContent {
  return { text: fallback(view, renderer), blocks: replyBlocks(view, renderer, context) };
}

/** The details below the message; null if the message has all of them. */
export function composeDetails(view: AlertView, renderer: Renderer): SlackContent | null {
  const blocks = detailBlocks(view, renderer);
  return blocks.length === 0 ? null : { text: fallback(view, renderer), blocks };
}

/** As a receiver gets it that listens to its buttons. */
export function previewSlack(content: MessageContent, renderer: Renderer): SlackPreview {
  const context = { alertId: NOBODYS, picture: null };
  if (content.kind === "digest") return { ...composeSlack(content, renderer, context), thread: [] };
  const details = composeDetails(content.view, renderer);
  const thread = details === null ? [] : [details];
  if (FIRST.has(content.kind)) return { ...composeSlack(content, renderer, context), thread };
  // Later messages are replies in the thread of the first message, which is edited.
  const first = { kind: "fired", view: { ...content.view, kind: "fired" } } as const;
  const reply = composeReply(content.view, renderer, context);
  return { ...composeSlack(first, renderer, context), thread: [...thread, reply] };
}

/** Kinds that begin a thread. */
const FIRST: ReadonlySet<string> = new Set(["fired", "ended", "test"]);

const NOBODYS = "00000000-0000-0000-0000-000000000000";

function fallback(view: AlertView, renderer: Renderer): string {
  return renderer.render("slack/alert-fallback.mrkdwn", view);
}

/** A digest as Slack shows it: the numbers, the alerts, the stories, the mentions. */
export function digestBlocks(view: DigestView, renderer: Renderer): Block[] {
  return whole([
    ...blockKit.header(renderer.render("slack/digest-headline.header", view)),
    ...blockKit.section(fitted("slack/digest-summary.mrkdwn", view, renderer)),
    ...blockKit.actions(blockKit.linkButton("Open in Earshot", view.consoleUrl)),
    ...blockKit.context(renderer.render("slack/digest-foot.mrkdwn", view)),
    ...incidentBlocks(view, renderer),
    ...blockKit.section(view.alertCount === 0 ? "" : fitted("slack/digest-alerts.mrkdwn", view, renderer)),
    ...blockKit.section(view.topStories.length === 0 ? "" : "*Top stories*"),
    ...blockKit.richText(view.topStories.map(storyElement)),
    ...blockKit.section(view.topMentions.length === 0 ? "" : "*Top mentions*"),
    ...mentionBlocks(view.topMentions, renderer),
    ...blockKit.section(unneededText(view, renderer)),
  ]);
}

/** The incidents that fit into one section, and a note if that is not all. */
function incidentBlocks(view: DigestView, renderer: Renderer): Block[] {
  for (let { length } = view.incidents; length > 0; length--) {
    const shown = { ...view, incidents: view.incidents.slice(0, length) };
    const text = renderer.render("slack/digest-incidents.mrkdwn", shown);
    if (text.length > SECTION) continue;
    const note = length < view.incidents.length ? blockKit.context(NOT_ALL) : [];
    return [...blockKit.section(text), ...note];
  }
  return [];
}

/** With the rules that had most such messages, as many as fit into one section. */
function unneededText(view: DigestView, renderer: Renderer): string {
  const { unneeded } = view;
  for (let length = unneeded?.rules.length ?? 0; unneeded !== null && length >= 0; length--) {
    const shown = { ...view, unneeded: { ...unneeded, rules: unneeded.rules.slice(0, length) } };
    const text = renderer.render("slack/digest-unneeded.mrkdwn", shown);
    if (text.length <= SECTION) return text;
  }
  return "";
}

/** The alerts or queries that fit into one section, and how many there are in addition. */
function fitted(name: TemplateName, view: DigestView, renderer: Renderer): string {
  let shown = { alerts: MOST_ALERTS, queries: MOST_QUERIES };
  for (;;) {
    const text = renderer.render(name, shortenDigest(view, shown));
    if (text.length <= SECTION || shown.alerts + shown.queries === 0) return text;
    shown = { alerts: Math.max(0, shown.alerts - 1), queries: Math.max(0, shown.queries - 2) };
  }
}

const MOST_ALERTS = 10;
const MOST_QUERIES = 20;
const SECTION = 3_000;

/** Adds a note if the digest does not fit into one message of Slack. */
function whole(blocks: readonly Block[]): Block[] {
  const kept = fitBlocks(blocks);
  return kept.length === blocks.length ? kept : [...kept.slice(0, 49), ...blockKit.context(NOT_ALL)];
}

const NOT_ALL =
  "Not all of this digest has room in one message of Slack; the email and the console have all of it.";

function storyElement(story: DigestStoryRow): RichTextPart {
  const run = { type: "text" as const, text: `  ${story.query}, shared ${story.mentions} times\n` };
  const text = { text: story.text, style: { bold: true } };
  return {
    type: "rich_text_section",
    elements: [
      story.url === null ? { type: "text", ...text } : { type: "link", url: story.url, ...text },
      run,
    ],
  };
}
