import type { Renderer } from "../../../templates/create-renderer.ts";
import type { AlertView } from "../../../templates/view.ts";
import type { MessageContent } from "../../define-notifier.ts";
import { alertBlocks, type BlockContext, detailBlocks, replyBlocks } from "./alert-blocks.ts";
import type { Block } from "./block-kit.ts";
import { digestBlocks } from "./digest-blocks.ts";

/** The blocks, and `text` that replaces them in push notifications. */
export interface SlackContent {
  readonly text: string;
  readonly blocks: Block[];
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

function fallback(view: AlertView, renderer: Renderer): string {
  return renderer.render("slack/alert-fallback.mrkdwn", view);
}
