import { Parser } from "htmlparser2";

/** A sentence, a cell, or what is written into a chart, with the panel in which it stands. */
export interface Block {
  /** The id of the heading of its panel; empty above the first. */
  readonly panel: string;
  /** `cell 2`: of a row, with the heads of its table. */
  readonly kind: string;
  /** What strangers wrote is `«…»`, a time `⟦ISO|as written⟧`, and what is shown on pointing `⟦title …⟧`. */
  readonly text: string;
  readonly heads: readonly string[];
  /** The first cell of its row. */
  readonly row: string;
  readonly links: readonly string[];
}

const BLOCKS = new Set(["p", "li", "h1", "h2", "h3", "th", "td", "title", "text", "summary"]);
/** Fields to choose with, and ways to other pages. */
const SKIPPED = new Set(["form", "nav"]);

/** What the page says below its navigation, and the chart of each `g`. */
export function readInsights(html: string): readonly Block[] {
  const main = /<main\b[\s\S]*<\/main>/.exec(html)?.[0] ?? "";
  const blocks: Block[] = [];
  let [panel, skipped, unseen, isHead] = ["", 0, 0, false];
  let heads: string[] = [];
  let cells: string[] = [];
  const open: { name: string; text: string; links: string[]; end: string }[] = [];
  const stack: { name: string; isSkipped: boolean; isUnseen: boolean; after: string }[] = [];
  const write = (text: string) => {
    const last = open.at(-1);
    if (last !== undefined && skipped + unseen === 0) last.text += text;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      const { id = "", class: classes = "", title, datetime } = attributes;
      const isSkipped = SKIPPED.has(name);
      const isUnseen = classes.split(" ").includes("unseen");
      if (isSkipped) skipped++;
      if (isUnseen) unseen++;
      if (name === "section") panel = attributes["aria-labelledby"] ?? panel;
      if (name === "thead") [isHead, heads] = [true, []];
      if (name === "tr") cells = [];
      let after = "";
      if (name === "bdi") [, after] = [write("«"), "»"];
      else if (name === "time") [, after] = [write(`⟦${datetime}|`), "⟧"];
      else if (name === "span" && title !== undefined) after = ` ⟦title ${title}⟧`;
      stack.push({ name, isSkipped, isUnseen, after });
      if (name === "a" && attributes["href"] !== undefined) open.at(-1)?.links.push(attributes["href"]);
      if (BLOCKS.has(name))
        open.push({ name: id === "" ? name : `${name} ${id}`, text: "", links: [], end: "" });
    },
    ontext: write,
    onclosetag(name) {
      const top = stack.pop();
      if (top === undefined) return;
      write(top.after);
      if (top.isUnseen) unseen--;
      if (BLOCKS.has(name)) {
        const { text, links } = open.pop() ?? { text: "", links: [] };
        const said = text.replaceAll(/\s+/g, " ").trim();
        const isCell = name === "th" || name === "td";
        if (isCell && isHead) heads.push(said);
        else if (skipped === 0) {
          if (isCell) cells.push(said);
          const kind = isCell ? `cell ${cells.length - 1}` : name;
          blocks.push({ panel, kind, text: said, heads: isCell ? heads : [], row: cells[0] ?? "", links });
        }
      }
      if (name === "thead") isHead = false;
      if (top.isSkipped) skipped--;
    },
  });
  parser.write(main);
  parser.end();
  return blocks;
}
