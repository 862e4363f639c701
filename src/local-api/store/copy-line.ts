/**
 * One row of PostgreSQL's text format for COPY: cells are what PostgreSQL writes itself for a value, null is NULL.
 * Texts must be storable (see `storableText`).
 */
export function copyLine(cells: readonly (string | null)[]): string {
  let line = "";
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    if (i > 0) line += "\t";
    if (cell == null) line += "\\N";
    else line += SPECIAL.test(cell) ? cell.replaceAll(ALL_SPECIAL, escaped) : cell;
  }
  return `${line}\n`;
}

/** An array as PostgreSQL reads it: every text quoted, so that none is taken for NULL or for the end. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

const SPECIAL = /[\\\n\r\t]/;
const ALL_SPECIAL = /[\\\n\r\t]/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(sign: string): string {
  return ESCAPES[sign] ?? sign;
}
