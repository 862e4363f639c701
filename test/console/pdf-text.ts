import { inflateSync } from "node:zlib";

/** The text of a document of pdfkit, a line for each line that it draws. It reads no other documents. */
export function pdfText(bytes: Uint8Array): string {
  const file = Buffer.from(bytes).toString("latin1");
  const objects = new Map(
    [...file.matchAll(/(\d+) 0 obj\n(.*?)\nendobj/gs)].map(([, id = "", body = ""]) => [id, body] as const),
  );
  const streamOf = (body: string): string => {
    const raw = /stream\r?\n(.*?)\r?\nendstream/s.exec(body)?.[1];
    if (raw === undefined) return "";
    return body.includes("FlateDecode") ? inflateSync(Buffer.from(raw, "latin1")).toString("latin1") : raw;
  };
  // The name of a font on the pages, and its table of letters.
  const fonts = new Map<string, ReadonlyMap<number, string>>();
  for (const body of objects.values())
    for (const [, name = "", id = ""] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? "")?.[1];
      if (map !== undefined) fonts.set(name, lettersOf(streamOf(objects.get(map) ?? "")));
    }
  const lines: string[] = [];
  for (const body of objects.values()) {
    let font: ReadonlyMap<number, string> = new Map();
    for (const [, name, shown] of streamOf(body).matchAll(/\/(F\d+) [\d.]+ Tf|\[(.*?)\] TJ/g)) {
      if (name !== undefined) font = fonts.get(name) ?? new Map();
      if (shown === undefined) continue;
      const codes = [...shown.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = ""]) => hex.match(/.{4}/g) ?? []);
      lines.push(codes.map((code) => font.get(Number.parseInt(code, 16)) ?? "?").join(""));
    }
  }
  return lines.join("\n");
}

/** Glyph → letters, from a table of ranges whose letters are listed. */
function lettersOf(table: string): ReadonlyMap<number, string> {
  const letters = new Map<number, string>();
  for (const [, from = "", listed = ""] of table.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[(.*?)\]/g))
    for (const [n, [, hex = ""]] of [...listed.matchAll(/<([0-9a-f ]+)>/g)].entries())
      letters.set(
        Number.parseInt(from, 16) + n,
        Buffer.from(hex.replaceAll(" ", ""), "hex").swap16().toString("utf16le"),
      );
  return letters;
}
