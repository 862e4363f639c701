import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { decompress } from "wawoff2";

/** Some letters of a text, and the file of the font that has them; null: the font of the document. */
interface FontRun {
  readonly text: string;
  readonly file: string | null;
}

/** Chinese and Japanese, with their signs and wide letters; the second has the letters of Korean. */
const HAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303F\u30FB\u30FC\uFF00-\uFFEF]/u;
const HANGUL = /\p{Script=Hangul}/u;

/** Splits a text by the fonts that have its letters. The fonts lie in many small files, each with some of the letters. */
export function fontRuns(text: string): readonly FontRun[] {
  const runs: { text: string; file: string | null }[] = [];
  for (const letter of text) {
    const file = fileOf(letter);
    const last = runs.at(-1);
    if (last !== undefined && last.file === file) last.text += letter;
    else runs.push({ text: letter, file });
  }
  return runs;
}

/** As a document takes it: of a font in the form for the web pdfkit would draw nothing. */
export async function readFontFile(file: string): Promise<Buffer> {
  return Buffer.from(await decompress(await readFile(file)));
}

function fileOf(letter: string): string | null {
  if (HANGUL.test(letter)) return fontOf("kr")(letter);
  return HAN.test(letter) ? fontOf("sc")(letter) : null;
}

type Language = "sc" | "kr";
type FileOf = (letter: string) => string | null;
const fonts = new Map<Language, FileOf>();

/** Read where a text first needs it: most need neither. */
function fontOf(language: Language): FileOf {
  const font = fonts.get(language) ?? readFont(language);
  fonts.set(language, font);
  return font;
}

/** Which file of Noto Sans has a letter; null: none has it. */
function readFont(language: Language): FileOf {
  const name = `noto-sans-${language}`;
  const folder = dirname(createRequire(import.meta.url).resolve(`@fontsource-variable/${name}/package.json`));
  const parts = JSON.parse(readFileSync(join(folder, "unicode.json"), "utf8")) as Record<string, string>;
  const ranges = Object.entries(parts).flatMap(([key, listed]) => {
    const file = join(folder, "files", `${name}-${key.replaceAll(/[[\]]/g, "")}-wght-normal.woff2`);
    return listed.split(",").map((range) => {
      const [from = "", to = from] = range.replace("U+", "").split("-");
      return { file, from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
    });
  });
  return (letter) => {
    const point = letter.codePointAt(0) ?? 0;
    return ranges.find(({ from, to }) => point >= from && point <= to)?.file ?? null;
  };
}
