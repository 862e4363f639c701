import type { Format } from "./escape.ts";

/** Removes the blank lines and spaces that conditions in a template leave. A header is always one line. */
export function tidyText(text: string, format: Format): string {
  switch (format) {
    case "html":
      return text;
    case "header":
      return text.replaceAll(/\s+/g, " ").trim();
    case "mrkdwn":
      return tidyLines(text);
    case "txt":
      return `${tidyLines(text)}\n`;
  }
}

function tidyLines(text: string): string {
  return text
    .replaceAll(/(?<![ \t])[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
