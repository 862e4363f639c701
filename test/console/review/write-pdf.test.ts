import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { fontRuns } from "../../../src/console/review/cjk-fonts.ts";
import type { Review } from "../../../src/console/review/review.ts";
import { writePdf } from "../../../src/console/review/write-pdf.ts";
import { pdfText } from "../pdf-text.ts";

const require = createRequire(import.meta.url);
const REVIEW: Review = {
  ...{ title: "Acme: 召回", span: "", figures: [], volume: [], stories: [], timeline: [], statements: [] },
  learned: { status: null, text: "电池召回。バッテリーの回収、배터리 회수: battery", when: "" },
};

test("Chinese, Japanese and Korean letters are drawn as such, in the order of the text", async () => {
  const bytes = await writePdf({ review: REVIEW, made: "" });
  const text = pdfText(bytes).replaceAll(/\s/g, "");
  expect(text).toContain("Acme:召回");
  expect(text).toContain("电池召回。バッテリーの回収、배터리회수:battery");
  const fonts = fontsIn(bytes);
  expect(fonts.length).toBeGreaterThan(3);
  // The first glyph may be a blank.
  for (const font of fonts) {
    const glyphs = Array.from({ length: font.numGlyphs - 1 }, (_, n) => font.getGlyph(n + 1));
    expect(Math.max(...glyphs.map(({ path }) => path.commands.length))).toBeGreaterThan(3);
  }
});

/** The fonts of a document, read by the library that wrote them. */
function fontsIn(bytes: Uint8Array) {
  const { create } = createRequire(require.resolve("pdfkit"))("fontkit") as {
    create(font: Buffer): {
      numGlyphs: number;
      getGlyph(id: number): { path: { commands: readonly unknown[] } };
    };
  };
  const file = Buffer.from(bytes).toString("latin1");
  return [...file.matchAll(/stream\r?\n(.*?)\r?\nendstream/gs)].flatMap(([, raw = ""]) => {
    const bytes = tryInflate(Buffer.from(raw, "latin1"));
    return bytes?.toString("latin1", 0, 4) === "true" ? [create(bytes)] : [];
  });
}

function tryInflate(raw: Buffer): Buffer | null {
  try {
    return inflateSync(raw);
  } catch {
    return null;
  }
}

test("a text is split by the fonts that have its letters, and a letter that none has stays with the others", () => {
  expect(fontRuns("plain")).toEqual([{ text: "plain", file: null }]);
  expect(fontRuns("")).toEqual([]);
  const [first, second] = fontRuns("배a");
  expect([first?.text, second]).toEqual(["배", { text: "a", file: null }]);
  expect(first?.file).toMatch(/noto-sans-kr-\d+-wght-normal\.woff2$/);
});
