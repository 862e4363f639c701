import { escapeHtml } from "../lib/text.ts";
import { cleanLine } from "./clean-text.ts";

/** The format: the last part of a template's name before `.hbs`. It decides how values are escaped. */
export const FORMATS = ["html", "mrkdwn", "txt", "header"] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Escapes a value so that it is plain text in that format. Values are always one line: a mention with line breaks could
 * add lines to a mail that look like ours.
 */
export function escapeValue(text: string, format: Format): string {
  const line = cleanLine(text);
  switch (format) {
    case "html":
      return escapeHtml(line);
    case "mrkdwn":
      return escapeMrkdwn(line);
    case "txt":
    case "header":
      return line;
  }
}

/**
 * Slack's three entities disable mentions, links and dates. Slack has no escape for the characters of bold, italics, strike and
 * code, so they are replaced by look-alikes: an open code fence would swallow our text.
 */
function escapeMrkdwn(line: string): string {
  return (
    line
      .replaceAll(/[*~`]/g, (character) => LOOK_ALIKES[character] ?? character)
      // Only where Slack begins italics: names and addresses keep theirs.
      .replaceAll(/(^|[\s([{"'])_(?=\S)/g, "$1ˍ")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
  );
}

const LOOK_ALIKES: Record<string, string> = { "*": "∗", "~": "∼", "`": "ˋ" };
