import type { Renderer } from "../templates/create-renderer.ts";
import type { MessageContent } from "./define-notifier.ts";
import { composeEmail, type EmailContent } from "./notifiers/email/compose-email.ts";
import {
  composeDetails,
  composeReply,
  composeSlack,
  type SlackContent,
} from "./notifiers/slack/compose-slack.ts";

/** A message as each kind of receiver would get it. */
export interface MessagePreview {
  /** `thread`: the replies that are posted at once. Without the chart: only Slack has it. */
  readonly slack: SlackContent & { readonly thread: readonly SlackContent[] };
  readonly email: EmailContent;
}

/** Made by the code that sends, so that a preview cannot differ. */
export function previewMessage(content: MessageContent, renderer: Renderer): MessagePreview {
  return { slack: previewSlack(content, renderer), email: composeEmail(content, renderer) };
}

/** With the buttons of a receiver that listens to them. */
function previewSlack(content: MessageContent, renderer: Renderer): MessagePreview["slack"] {
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
