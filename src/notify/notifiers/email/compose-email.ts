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
    subject: renderer.render(`email/${what}-subject.header`, view),
    text: renderer.render(`email/${what}.txt`, view),
    html: renderer.render(`email/${what}.html`, view),
  };
}
