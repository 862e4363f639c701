import type { Renderer } from "../templates/create-renderer.ts";
import type { MessageContent } from "./define-notifier.ts";
import { composeEmail, type EmailContent } from "./notifiers/email/compose-email.ts";
import { composeDetails, composeSlack, type SlackContent } from "./notifiers/slack/compose-slack.ts";

/** A message as each kind of receiver would get it. */
export interface MessagePreview {
  /** `thread`: what follows it there at once. The picture of the counts is left out: only Slack has it. */
  readonly slack: SlackContent & { readonly thread: readonly SlackContent[] };
  readonly email: EmailContent;
}

/** Made by the code that sends, so that a preview cannot show something else. */
export function previewMessage(content: MessageContent, renderer: Renderer): MessagePreview {
  return { slack: previewSlack(content, renderer), email: composeEmail(content, renderer) };
}

/** With the buttons that a receiver has who listens to them. */
function previewSlack(content: MessageContent, renderer: Renderer): MessagePreview["slack"] {
  const message = composeSlack(content, renderer, { alertId: NOBODYS, picture: null });
  const details = content.kind === "digest" ? null : composeDetails(content.view, renderer);
  return { ...message, thread: details === null ? [] : [details] };
}

const NOBODYS = "00000000-0000-0000-0000-000000000000";
