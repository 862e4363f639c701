import { tokenize } from "./tokenize.ts";

/**
 * HTML as text, with the lines that a reader sees: paragraphs, list items and `<br>` begin new ones, and a picture is its
 * description (`alt`). Hostile HTML costs no more than its length: only the tokenizer of htmlparser2 is used, because its parser, like every library that builds
 * a tree on it, takes the square of the depth (17 s for 100,000 open tags).
 */
export function textOfHtml(html: string): string {
  let text = "";
  let verbatim = 0;
  /** The element whose content is left out, how many of its name are open in it, and whether a tag of it is read now. */
  let [hidden, nested, isRead]: [string | null, number, boolean] = [null, 0, false];
  /** Of the picture whose tag is read now; null: none is. */
  let alt: string | null = null;
  let isAlt = false;
  let isBehindAlt = false;
  /** Not asked of the text: looking at its end takes its whole length each time. */
  let isBehindBlank = true;
  const line = (breaks: string): void => {
    if (hidden !== null) return;
    text += breaks;
    isBehindBlank = true;
  };
  const write = (found: string): void => {
    if (hidden !== null || found === "") return;
    if (isBehindAlt && /^[\p{L}\p{N}]/u.test(found)) text += " ";
    isBehindAlt = false;
    isBehindBlank = /\s/.test(found.charAt(found.length - 1));
    text += verbatim > 0 ? found : found.replaceAll(/[^\S\u00a0]+/g, " ");
  };
  /** Without a prefix: `xhtml:p` is `p`. */
  const nameAt = (start: number, end: number): string => {
    const name = html.slice(start, end).toLowerCase();
    return name.slice(name.indexOf(":") + 1);
  };
  let lastEnds: Map<string, number> | undefined;
  const lastEnd = (name: string): number => {
    lastEnds ??= new Map();
    const known = lastEnds.get(name) ?? lastEndOf(name, html);
    lastEnds.set(name, known);
    return known;
  };
  const ends = (): void => {
    if (nested > 0) nested--;
    else hidden = null;
  };
  const writeAlt = (): void => {
    const alternative = alt?.trim() ?? "";
    alt = null;
    if (alternative === "") return;
    write(isBehindBlank ? alternative : ` ${alternative}`);
    isBehindAlt = true;
  };
  tokenize(
    html,
    { decodeEntities: true, xmlMode: false },
    {
      onattribname(start, end) {
        isAlt = alt !== null && html.slice(start, end).toLowerCase() === "alt";
      },
      onattribdata(start, end) {
        if (isAlt && alt !== null && alt.length < LONGEST_ALT)
          alt += html.slice(start, Math.min(end, start + LONGEST_ALT));
      },
      onattribentity(codepoint) {
        if (isAlt && alt !== null && alt.length < LONGEST_ALT) alt += String.fromCodePoint(codepoint);
      },
      ontext: (start, end) => write(html.slice(start, end)),
      ontextentity: (codepoint) => write(String.fromCodePoint(codepoint)),
      oncdata: (start, end, behind) => write(html.slice(start, end - behind)),
      onopentagname(start, end) {
        const name = nameAt(start, end);
        isRead = name === hidden;
        if (hidden !== null) {
          if (isRead) nested++;
        } else if (HIDDEN.has(name) && (CODE.has(name) || start < lastEnd(name)))
          [hidden, nested, isRead] = [name, 0, true];
        else if (name === "img") alt = "";
        else if (name === "br") line("\n");
        else if (name === "li") line("\n- ");
        else if (BLOCKS.has(name)) line("\n\n");
        else if (CELLS.has(name)) line(" ");
        if (name === "pre" && hidden === null) verbatim++;
      },
      // Programs that write XML write `<iframe src="…"/>`.
      onselfclosingtag() {
        writeAlt();
        if (isRead) ends();
      },
      onopentagend: writeAlt,
      onclosetag(start, end) {
        const name = nameAt(start, end);
        if (name === hidden) {
          // Some of them have no end of their own.
          if (start >= lastEnd(name)) nested = 0;
          ends();
        } else if (BLOCKS.has(name)) line("\n\n");
        // As browsers read it.
        else if (name === "br") line("\n");
        if (name === "pre" && hidden === null) verbatim = Math.max(0, verbatim - 1);
      },
    },
  );
  return tidyLines(text);
}

const LONGEST_ALT = 1_500;

/**
 * Where the name of the last end tag of an element begins; -1: it has none. Without an end it would hide everything that
 * follows, so it hides nothing.
 */
function lastEndOf(name: string, html: string): number {
  let last = -1;
  for (const { index } of html.matchAll(new RegExp(`</(?:[a-z]+:)?${name}(?=[\\s/>]|$)`, "gi")))
    last = index + 2;
  return last;
}

/** Their content is not for readers. The text inside `<object>` is. */
const HIDDEN = new Set(["script", "style", "template", "noscript", "iframe", "svg"]);
/** Without an end, these are code to the end. */
const CODE = new Set(["script", "style"]);
const CELLS = new Set(["td", "th"]);
const BLOCKS = new Set(
  (
    "address article aside blockquote caption center dd details dir div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr legend main menu nav ol option p pre section summary table title tr ul"
  ).split(" "),
);

/** No blanks at the ends of lines, and never more than one empty line. */
export function tidyLines(text: string): string {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  const kept: string[] = [];
  for (const line of lines) if (line !== "" || (kept.length > 0 && kept.at(-1) !== "")) kept.push(line);
  while (kept.at(-1) === "") kept.pop();
  return kept.join("\n");
}

/** On one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
