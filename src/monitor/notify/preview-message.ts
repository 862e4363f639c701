import type { Renderer } from "../templates/create-renderer.ts";
import type { MessageContent, NotifierDefinition } from "./define-notifier.ts";
import type { EmailContent } from "./notifiers/email/compose-email.ts";
import type { SlackPreview } from "./notifiers/slack/compose-slack.ts";
import { notifiers } from "./notifiers.ts";

/** A message as each kind of receiver would get it, by kind. */
export interface MessagePreview {
  readonly slack: SlackPreview;
  readonly email: EmailContent;
  /** Other kinds, as JSON. */
  readonly [kind: string]: object;
}

/** Made by the code that sends, so that a preview cannot differ. */
export function previewMessage(content: MessageContent, renderer: Renderer): MessagePreview {
  const definitions: readonly NotifierDefinition[] = notifiers;
  const shown = definitions.flatMap(({ kind, preview }): [string, object][] =>
    preview === undefined ? [] : [[kind, preview(content, renderer)]],
  );
  return Object.fromEntries(shown) as MessagePreview;
}
