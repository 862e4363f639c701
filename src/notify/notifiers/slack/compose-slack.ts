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
