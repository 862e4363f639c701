import type { Renderer } from "../../../templates/create-renderer.ts";
import type { MessageContent } from "../../define-notifier.ts";
import { alertBlocks } from "./alert-blocks.ts";
import type { Block } from "./block-kit.ts";
import { digestBlocks } from "./digest-blocks.ts";

/** What is shown; `text` also stands in for the blocks in push notifications. */
export interface SlackContent {
  readonly text: string;
  readonly blocks: Block[];
}

export function composeSlack(content: MessageContent, renderer: Renderer): SlackContent {
  if (content.kind === "digest") {
    return {
      text: renderer.render("slack/digest-fallback.mrkdwn", content.view),
      blocks: digestBlocks(content.view, renderer),
    };
  }
  return {
    text: renderer.render("slack/alert-fallback.mrkdwn", content.view),
    blocks: alertBlocks(content.view, renderer),
  };
}
