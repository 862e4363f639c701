import type { Renderer } from "../../../templates/create-renderer.ts";
import type { MessageContent } from "../../define-notifier.ts";

export interface EmailContent {
  /** One line. */
  readonly subject: string;
  /** Written for reading, not stripped HTML. */
  readonly text: string;
  readonly html: string;
}

export function composeEmail({ kind, view }: MessageContent, renderer: Renderer): EmailContent {
  const what = kind === "digest" ? "digest" : "alert";
  return {
    subject: disarmed(renderer.render(`email/${what}-subject.header`, view)),
    text: renderer.render(`email/${what}.txt`, view),
    html: renderer.render(`email/${what}.html`, view),
  };
}

/**
 * Mail programs decode `=?utf-8?Q?=0D?=` in a subject, so a text that brings one could hide there what was cleaned out
 * of it. With another question mark it is the text that it is.
 */
function disarmed(subject: string): string {
  return subject.replaceAll("=?", "=\uFF1F");
}
