import type { Instant } from "../../lib/instant.ts";
import { escapeHtml } from "../../lib/text.ts";
import type { ObservedMessage } from "./observed.ts";
import { textOf } from "./snapshots.ts";

/** The messages of one run of a test, under a heading such as "before" and "after". */
interface MessageColumn {
  readonly heading: string;
  readonly messages: readonly ObservedMessage[];
}

/**
 * One page with every message of a story in order of time, as its readers get it; with two columns, the same message of
 * both runs side by side, and a note where they differ. Safe: mention text is escaped, and emails stand in sandboxed
 * frames.
 */
export function messagePage(
  title: string,
  columns: readonly MessageColumn[],
  show: (at: Instant) => string,
): string {
  const rows = rowsOf(columns);
  const body = rows.map((row) => {
    const texts = new Set(row.messages.map((one) => one?.text ?? ""));
    const differs = columns.length > 1 && texts.size > 1 ? '<span class="differs">differs</span>' : "";
    const cells = row.messages.map(
      (one) => `<td>${one === undefined ? "no such message" : messageHtml(one)}</td>`,
    );
    return `<tr><th colspan="${columns.length}">${escapeHtml(`${show(row.at)}  ${row.kind} to ${row.receiver}`)} ${differs}</th></tr>\n<tr>${cells.join("")}</tr>`;
  });
  const headings =
    columns.length > 1
      ? `<tr>${columns.map(({ heading }) => `<th>${escapeHtml(heading)}</th>`).join("")}</tr>`
      : "";
  const content =
    rows.length === 0 ? "<p>No message was sent.</p>" : `<table>${headings}${body.join("\n")}</table>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1>
${content}
</body></html>
`;
}

interface Row {
  readonly at: Instant;
  readonly kind: string;
  readonly receiver: string;
  readonly messages: readonly (ObservedMessage | undefined)[];
}

/** The n-th message of a kind to a receiver is the same message in both columns. */
function rowsOf(columns: readonly MessageColumn[]): Row[] {
  const rows = new Map<
    string,
    { at: Instant; kind: string; receiver: string; messages: (ObservedMessage | undefined)[] }
  >();
  columns.forEach(({ messages }, column) => {
    const counts = new Map<string, number>();
    for (const message of messages) {
      if (message.isEdit) continue;
      const place = `${message.kind} ${message.receiver}`;
      const count = (counts.get(place) ?? 0) + 1;
      counts.set(place, count);
      const key = `${place} ${count}`;
      const { at, kind, receiver } = message;
      const row = rows.get(key) ?? { at, kind, receiver, messages: columns.map(() => undefined) };
      row.messages[column] = message;
      rows.set(key, row);
    }
  });
  return [...rows.values()].sort((a, b) => a.at - b.at);
}

function messageHtml({ kind, html, text }: ObservedMessage): string {
  if (kind === "slack") return html ?? "";
  if (html === null) return `<pre>${escapeHtml(textOf({ kind, text }))}</pre>`;
  const [subject = ""] = text.split("\n", 1);
  const lines = Math.min(1_600, 240 + 18 * text.split("\n").length);
  return `<p class="subject">${escapeHtml(subject)}</p><iframe sandbox="allow-same-origin" title="email" height="${lines}" srcdoc="${escapeHtml(html ?? "")}"></iframe>`;
}

const STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; color: #1d1c1d; background: #f6f6f6; }
h1 { font-size: 1.3rem; }
table { border-collapse: separate; border-spacing: 0 .3rem; width: 100%; table-layout: fixed; }
th { text-align: left; padding-top: 1rem; white-space: pre-wrap; }
td { background: #fff; border: 1px solid #ddd; border-radius: 6px; padding: .8rem; vertical-align: top; overflow-wrap: anywhere; }
iframe { width: 100%; border: 0; }
.differs { background: #ffd58a; border-radius: 4px; padding: 0 .4rem; font-weight: normal; }
.subject { font-weight: bold; margin: 0 0 .5rem; }
.slack-header { margin: 0 0 .3rem; font-size: 1.05rem; }
.slack-section, .slack-field { margin: 0 0 .4rem; white-space: pre-wrap; }
.slack-context { color: #616061; font-size: .85rem; margin: 0 0 .3rem; }
.slack-quote { border-left: 4px solid #ddd; margin: 0 0 .4rem; padding-left: .6rem; }
.slack-button { border: 1px solid #bbb; border-radius: 4px; padding: .1rem .6rem; margin-right: .3rem; display: inline-block; }
.slack-picture { max-width: 100%; }
.slack-divider { border: 0; border-top: 1px solid #ddd; }
@media (max-width: 600px) { body { margin: .6rem; } }
`;
