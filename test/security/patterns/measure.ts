import { charactersOf, hostileTexts } from "./feed-texts.ts";
import { findPatterns } from "./find-patterns.ts";
import { SAMPLES } from "./samples.ts";

/**
 * A process of its own, so that an expression that takes years can be ended. Prints one JSON line for each expression:
 * first `{begins}`, then `{ends, slow}`; at the end `{constructed}` of the code, `{listed}` of the list.
 */
const FIRST = 10_000;
/** The square of 10,000 steps takes longer than this on any machine; 10,000 steps take a hundredth of it. */
const SUSPICIOUS_MS = 10;

interface Subject {
  readonly name: string;
  readonly characters: readonly string[];
  readonly run: (text: string) => void;
}

const root = process.argv[2] ?? ".";
const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
const { literals, constructed } = findPatterns(root);
say({ constructed, listed: Object.keys(SAMPLES).sort() });

const subjects: Subject[] = [
  ...literals.map(({ where, source, flags }) => {
    // Every place of the text is tried, as it is by who replaces or gathers all of them.
    const expression = new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
    return {
      name: `${where} /${source}/${flags}`,
      characters: charactersOf(source, flags),
      run: (text: string) => {
        for (const _ of text.matchAll(expression));
      },
    };
  }),
  ...Object.entries(SAMPLES).map(([name, { characters, run }]) => ({
    name,
    characters: [...characters],
    run,
  })),
];

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
