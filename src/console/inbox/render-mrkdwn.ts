import { escapeHtml } from "../../lib/text.ts";

/**
 * Renders Slack's mrkdwn as HTML: links, mentions (visible, because our messages should have none), code, bold, italic,
 * strike, quotes. First splits the text at `<…>` and at code; then escapes and formats the parts between.
 */
export function renderMrkdwn(text: string): string {
  return text
    .split(/(```[\s\S]+?```|`[^`\n]+`|<[^<>\n]+>)/)
    .map((part, index) => (index % 2 === 0 ? renderProse(part) : renderSpecial(part)))
    .join("");
}

function renderSpecial(part: string): string {
  if (part.startsWith("```")) return `<pre class="slack-pre">${escapeHtml(decode(part.slice(3, -3)))}</pre>`;
  if (part.startsWith("`")) return `<code>${escapeHtml(decode(part.slice(1, -1)))}</code>`;
  const inside = part.slice(1, -1);
  const bar = inside.indexOf("|");
  const target = decode(bar === -1 ? inside : inside.slice(0, bar));
  const label = decode(bar === -1 ? inside : inside.slice(bar + 1));
  if (/^https?:\/\//i.test(target)) {
    return `<a href="${escapeHtml(target)}" rel="noopener noreferrer nofollow">${escapeHtml(label)}</a>`;
  }
  if (target.startsWith("!date^")) return escapeHtml(label);
  if (/^[@#!]/.test(target))
    return `<span class="slack-mention">${escapeHtml(nameOf(target, label, bar))}</span>`;
  return escapeHtml(part);
}

function nameOf(target: string, label: string, bar: number): string {
  if (bar !== -1) return label;
  return target.startsWith("!") ? `@${target.slice(1)}` : target;
}

function renderProse(part: string): string {
  const lines = escapeHtml(decode(part)).split("\n").map(renderLine);
  return lines.join("<br>");
}

function renderLine(line: string): string {
  const marked = MARKS.reduce(
    (text, [pattern, tag]) => text.replaceAll(pattern, `$1<${tag}>$2</${tag}>`),
    line,
  );
  return marked.startsWith("&gt;")
    ? `<span class="slack-quote">${marked.slice(4).trimStart()}</span>`
    : marked;
}

/** Slack formats only if the marks are at the border of words. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/(^|[\s(])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\p{L}\p{N}])/gu, "strong"],
  [/(^|[\s(])_([^\s_](?:[^_]*[^\s_])?)_(?![\p{L}\p{N}])/gu, "em"],
  [/(^|[\s(])~([^\s~](?:[^~]*[^\s~])?)~(?![\p{L}\p{N}])/gu, "s"],
];

/** The three entities of Slack, `&amp;` last. */
function decode(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
