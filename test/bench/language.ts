import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadLanguageDetector } from "../../src/feeds/enrich/detect-language.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { readShortTexts, readTweets, SHARED } from "./labelled-texts.ts";

// Which library tells the language of short texts, how often it is right, and what it costs. The two that were not
// chosen are no dependencies: `npm install --no-save tinyld franc-min franc` first, or their rows say "not installed".
// --tweets n: so many of the tweets of ../shared/data, evenly spread (default 1000). Every one of them is English by
// its data set, except a few that are not; the short texts are those of test/fixtures/enrich.

type Detect = (text: string) => string | null;

const ISO_639_3: Readonly<Record<string, string>> = {
  ...{ eng: "en", deu: "de", fra: "fr", spa: "es", ita: "it" },
  ...{ nld: "nl", por: "pt", pol: "pl", swe: "sv", tur: "tr" },
};

const CANDIDATES: Readonly<Record<string, () => Promise<Detect>>> = {
  "src/feeds/enrich (eld/extrasmall)": loadLanguageDetector,
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
