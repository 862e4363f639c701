import type { Renderer } from "../../../templates/create-renderer.ts";
import type { MessageContent } from "../../define-notifier.ts";

export interface EmailContent {
  /** One line. */
  readonly subject: string;
  /** Written as text, not stripped HTML. */
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
 * Mail programs decode `=?utf-8?Q?=0D?=` in a subject, which could bring back characters that were removed. Another
 * question mark keeps it plain text.
 */
function disarmed(subject: string): string {
  return subject.replaceAll("=?", "=\uFF1F");
}
