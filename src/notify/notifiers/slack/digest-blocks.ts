import type { Renderer } from "../../../templates/create-renderer.ts";
import type { DigestStoryRow, DigestView } from "../../../templates/digest-view.ts";
import { shortenDigest } from "../../../templates/shorten-digest.ts";
import type { TemplateName } from "../../../templates/template-names.ts";
import { mentionBlocks } from "./alert-blocks.ts";
import { type Block, blockKit, fitBlocks, type RichTextPart } from "./block-kit.ts";

/** A digest as Slack shows it: the numbers, the alerts, the stories, the mentions. */
export function digestBlocks(view: DigestView, renderer: Renderer): Block[] {
  return whole([
    ...blockKit.header(renderer.render("slack/digest-headline.header", view)),
    ...blockKit.section(fitted("slack/digest-summary.mrkdwn", view, renderer)),
    ...blockKit.actions(blockKit.linkButton("Open in Earshot", view.consoleUrl)),
    ...blockKit.context(renderer.render("slack/digest-foot.mrkdwn", view)),
    ...blockKit.section(view.alertCount === 0 ? "" : fitted("slack/digest-alerts.mrkdwn", view, renderer)),
    ...blockKit.section(view.topStories.length === 0 ? "" : "*Top stories*"),
    ...blockKit.richText(view.topStories.map(storyElement)),
    ...blockKit.section(view.topMentions.length === 0 ? "" : "*Top mentions*"),
    ...mentionBlocks(view.topMentions, renderer),
  ]);
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
