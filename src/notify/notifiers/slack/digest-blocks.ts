import { counted } from "../../../lib/counted.ts";
import type { Renderer } from "../../../templates/create-renderer.ts";
import type { DigestStoryRow, DigestView } from "../../../templates/digest-view.ts";
import { mentionBlocks } from "./alert-blocks.ts";
import { type Block, blockKit, fitBlocks, type RichTextPart } from "./block-kit.ts";

/** A digest as Slack shows it: the numbers, the alerts, the stories, the mentions; long ones lose their end. */
export function digestBlocks(view: DigestView, renderer: Renderer): Block[] {
  return fitBlocks([
    ...blockKit.header(renderer.render("slack/digest-headline.header", view)),
    ...blockKit.section(renderer.render("slack/digest-summary.mrkdwn", view)),
    ...blockKit.actions(blockKit.linkButton("Open in Earshot", view.consoleUrl)),
    ...blockKit.context(renderer.render("slack/digest-foot.mrkdwn", view)),
    ...blockKit.section(alertsText(view, renderer)),
    ...blockKit.section(view.topStories.length === 0 ? "" : "*Top stories*"),
    ...blockKit.richText(view.topStories.map(storyElement)),
    ...blockKit.section(view.topMentions.length === 0 ? "" : "*Top mentions*"),
    ...mentionBlocks(view.topMentions, renderer),
  ]);
}

/** As many alerts as one section holds, the gravest first, and how many there were beside them. */
function alertsText(view: DigestView, renderer: Renderer): string {
  const { alerts } = view;
  for (let shown = Math.min(alerts.length, MOST_ALERTS); shown > 0; shown--) {
    const told = renderer.render("slack/digest-alerts.mrkdwn", { ...view, alerts: alerts.slice(0, shown) });
    const text =
      shown === alerts.length ? told : `${told}\n… and ${counted(alerts.length - shown, "more alert")}`;
    if (text.length <= SECTION) return text;
  }
  return renderer.render("slack/digest-alerts.mrkdwn", view);
}

const MOST_ALERTS = 20;
const SECTION = 3_000;

function storyElement(story: DigestStoryRow): RichTextPart {
  const told = { type: "text" as const, text: `  ${story.query}, told ${story.mentions} times\n` };
  const text = { text: story.text, style: { bold: true } };
  return {
    type: "rich_text_section",
    elements: [
      story.url === null ? { type: "text", ...text } : { type: "link", url: story.url, ...text },
      told,
    ],
  };
}
