import type { Renderer } from "../../../templates/create-renderer.ts";
import type { MentionView } from "../../../templates/mention-view.ts";
import type { AlertView } from "../../../templates/view.ts";
import { type Block, blockKit, fitBlocks, type RichTextElement, type RichTextPart } from "./block-kit.ts";

/**
 * An alert as Slack shows it: the number, why and since when, the way to the console, the mentions, the fine print.
 * What strangers wrote goes into rich text, whose elements are never parsed; prose comes from templates.
 */
export function alertBlocks(view: AlertView, renderer: Renderer): Block[] {
  return fitBlocks([
    ...blockKit.header(renderer.render("slack/alert-headline.header", view)),
    ...blockKit.section(renderer.render("slack/alert-why.mrkdwn", view)),
    ...blockKit.linkButton("Open in Earshot", view.consoleUrl),
    ...blockKit.context(renderer.render("slack/alert-foot.mrkdwn", view)),
    ...(view.resolvedAt === null ? mentionBlocks(view.mentions, renderer) : []),
  ]);
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
