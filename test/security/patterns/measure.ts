import { resolve } from "node:path";
import { charactersOf, hostileTexts } from "./feed-texts.ts";
import { findLibraryPatterns } from "./find-library-patterns.ts";
import { findPatterns } from "./find-patterns.ts";
import { SAMPLES } from "./samples.ts";

/**
 * A process of its own, so that an expression that takes years can be ended. Measures the expressions of the product, or
 * with `libraries` those of packages. Prints one JSON line for each: first `{begins}`, then `{ends, slow}`; before all,
 * `{constructed}` of the product's code and `{listed}` of the list.
 */
const FIRST = 10_000;
/** The square of 10,000 steps takes longer than this on any machine; 10,000 steps take a hundredth of it. */
const SUSPICIOUS_MS = 10;

interface Subject {
  readonly name: string;
  readonly characters: readonly string[];
  readonly run: (text: string) => void;
}

const root = resolve(process.argv[2] ?? ".");
const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
const isOfLibraries = process.argv[3] === "libraries";

const literalSubject = (name: string, source: string, flags: string): Subject => {
  // Every place of the text is tried, as it is by who replaces or gathers all of them.
  const expression = new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
  return {
    name: `${name} /${source}/${flags}`,
    characters: charactersOf(source, flags),
    run: (text: string) => {
      for (const _ of text.matchAll(expression));
    },
  };
};

function ofProduct(): Subject[] {
  const { literals, constructed } = findPatterns(root);
  say({ constructed, listed: Object.keys(SAMPLES).sort() });
  return [
    ...literals.map(({ where, source, flags }) => literalSubject(where, source, flags)),
    ...Object.entries(SAMPLES).map(([name, { characters, run }]) => ({
      name,
      characters: [...characters],
      run,
    })),
  ];
}

/** Those that repeat something without end; others take the same time at each place. */
async function ofLibraries(): Promise<Subject[]> {
  const literals = await findLibraryPatterns(root);
  return literals
    .filter(({ source }) => /[*+]|\{\d+,\}/.test(source))
    .map(({ where, source, flags }) => literalSubject(where, source, flags));
}

const subjects = isOfLibraries ? await ofLibraries() : ofProduct();

for (const { name, characters, run } of subjects) {
  say({ begins: name });
  const slow: string[] = [];
  let lastReport = process.cpuUsage();
  for (const hostile of hostileTexts(characters, FIRST)) {
    // A sign of life between two texts, so that only one text without an end is taken for one.
    if (process.cpuUsage(lastReport).user > 1_000_000) {
      say({ begins: `${name}, ${hostile.name}` });
      lastReport = process.cpuUsage();
    }
    if (cpuMs(() => run(hostile.text)) < SUSPICIOUS_MS) continue;
    const fault = growth((n) => textOf(characters, hostile.name, n), run);
    if (fault !== null) {
      slow.push(`${hostile.name}: ${fault}`);
      break;
    }
  }
  say({ ends: name, slow });
}

/**
 * Four times the text may take some four times as long, the square of it takes sixteen. The least of several runs,
 * in processor time: nothing that another program does makes it look slower.
 */
function growth(textOfLength: (n: number) => string, run: (text: string) => void): string | null {
  const [small, large] = [FIRST, 4 * FIRST].map((n) => {
    const text = textOfLength(n);
    return Math.min(...Array.from({ length: 4 }, () => cpuMs(() => run(text))));
  });
  if (small === undefined || large === undefined || large < SUSPICIOUS_MS || large < 9 * small) return null;
  return `${FIRST} characters take ${small.toFixed(1)} ms, ${4 * FIRST} take ${large.toFixed(1)} ms`;
}

function textOf(characters: readonly string[], wanted: string, n: number): string {
  for (const { name, text } of hostileTexts(characters, n)) if (name === wanted) return text;
  throw new Error(`there is no text ${wanted}`);
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
