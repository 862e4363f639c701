import type { Renderer } from "../templates/create-renderer.ts";
import type { MessageContent } from "./define-notifier.ts";
import { composeEmail, type EmailContent } from "./notifiers/email/compose-email.ts";
import { composeSlack, type SlackContent } from "./notifiers/slack/compose-slack.ts";

/** A message as each kind of receiver would get it. */
export interface MessagePreview {
  readonly slack: SlackContent;
  readonly email: EmailContent;
}

/** Made by the code that sends, so that a preview cannot show something else. */
export function previewMessage(content: MessageContent, renderer: Renderer): MessagePreview {
  return { slack: composeSlack(content, renderer), email: composeEmail(content, renderer) };
}
