import { Tokenizer } from "htmlparser2";

/**
 * HTML as text, with the lines that a reader sees: paragraphs, list items and `<br>` begin new ones. Hostile HTML costs
 * no more than its length: only the tokenizer of htmlparser2 is used, because its parser, like every library that builds
 * a tree on it, takes the square of the depth (17 s for 100,000 open tags).
 */
export function textOfHtml(html: string): string {
  let text = "";
  let verbatim = 0;
  let hidden = 0;
  const line = (breaks: string): void => {
    if (hidden === 0) text += breaks;
  };
  const write = (found: string): void => {
    if (hidden > 0 || found === "") return;
    text += verbatim > 0 ? found : found.replaceAll(/[^\S\u00a0]+/g, " ");
  };
  const nameAt = (start: number, end: number): string => html.slice(start, end).toLowerCase();
  const nothing = (): void => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode: false },
    {
      ontext: (start, end) => write(html.slice(start, end)),
      ontextentity: (codepoint) => write(String.fromCodePoint(codepoint)),
      oncdata: (start, end) => write(html.slice(start, end)),
      onopentagname(start, end) {
        const name = nameAt(start, end);
        if (HIDDEN.has(name)) hidden++;
        else if (name === "br") line("\n");
        else if (name === "li") line("\n- ");
        else if (BLOCKS.has(name)) line("\n\n");
        else if (CELLS.has(name)) line(" ");
        if (name === "pre") verbatim++;
      },
      onclosetag(start, end) {
        const name = nameAt(start, end);
        if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
        else if (BLOCKS.has(name)) line("\n\n");
        if (name === "pre") verbatim = Math.max(0, verbatim - 1);
      },
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onattribname: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return tidyLines(text);
}

/** Their content is not for readers. */
const HIDDEN = new Set(["script", "style", "template", "noscript", "iframe", "svg", "object"]);
const CELLS = new Set(["td", "th"]);
const BLOCKS = new Set(
  (
    "address article aside blockquote dd details div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section summary table tr ul"
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
