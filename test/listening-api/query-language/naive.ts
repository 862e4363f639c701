import fc from "fast-check";

/** A query as a plain tree, with a spelling and a meaning of its own that share nothing with the code under test. */
export type Naive =
  | { readonly kind: "word" | "exact-case"; readonly word: string }
  | { readonly kind: "beginning"; readonly letters: string }
  | { readonly kind: "phrase"; readonly words: readonly string[] }
  | { readonly kind: "loose"; readonly words: readonly string[]; readonly distance: number }
  | { readonly kind: "and" | "or"; readonly of: readonly Naive[] }
  | { readonly kind: "without"; readonly wanted: Naive; readonly unwanted: Naive }
  | {
      readonly kind: "near";
      readonly left: Naive;
      readonly right: Naive;
      readonly distance: number;
      readonly forward: boolean;
    };

/** Each word of the vocabulary without case and accents. */
const FOLDED: Readonly<Record<string, string>> = {
  sun: "sun",
  Sun: "sun",
  SUN: "sun",
  sunny: "sunny",
  sundae: "sundae",
  moon: "moon",
  Moon: "moon",
  niño: "nino",
  nino: "nino",
  Nino: "nino",
  Niño: "nino",
  tide: "tide",
  тень: "тень",
};
const WORDS = Object.keys(FOLDED);
const ACCENTED = new Set(["niño", "Niño"]);

export function spell(query: Naive): string {
  switch (query.kind) {
    case "word":
      return query.word;
    case "exact-case":
      return `{${query.word}}`;
    case "beginning":
      return `${query.letters}*`;
    case "phrase":
      return `"${query.words.join(" ")}"`;
    case "loose":
      return `"${query.words.join(" ")}"~${query.distance}`;
    case "and":
    case "or":
      return query.of.map(inBrackets).join(query.kind === "and" ? " AND " : " OR ");
    case "without":
      return `${inBrackets(query.wanted)} NOT ${inBrackets(query.unwanted)}`;
    case "near":
      return `${inBrackets(query.left)} NEAR/${query.distance}${query.forward ? "f" : ""} ${inBrackets(query.right)}`;
  }
}

function inBrackets(query: Naive): string {
  return "of" in query || "wanted" in query || "left" in query ? `(${spell(query)})` : spell(query);
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** By trying everything. */
export function isMet(query: Naive, text: readonly string[]): boolean {
  switch (query.kind) {
    case "and":
      return query.of.every((each) => isMet(each, text));
    case "or":
      return query.of.some((each) => isMet(each, text));
    case "without":
      return isMet(query.wanted, text) && !isMet(query.unwanted, text);
    case "loose":
      return places(query.words, text).some((at) => Math.max(...at) - Math.min(...at) - 1 <= query.distance);
    default:
      return stretches(query, text).length > 0;
  }
}

/** Where the words stand that make the text match; undefined when it does not. By trying everything. */
export function marked(query: Naive, text: readonly string[]): readonly Stretch[] | undefined {
  if (!isMet(query, text)) return undefined;
  switch (query.kind) {
    case "and":
    case "or":
      return query.of.flatMap((each) => marked(each, text) ?? []);
    case "without":
      return marked(query.wanted, text);
    case "loose":
      return places(query.words, text)
        .filter((at) => Math.max(...at) - Math.min(...at) - 1 <= query.distance)
        .flatMap((at) => at.map((place) => ({ from: place, to: place })));
    default:
      return stretches(query, text);
  }
}

/** Every way to put each word on a place of its own. */
function places(words: readonly string[], text: readonly string[]): number[][] {
  const [first, ...rest] = words;
  if (first === undefined) return [[]];
  return places(rest, text).flatMap((taken) =>
    text.flatMap((word, at) => (equals(first, word) && !taken.includes(at) ? [[at, ...taken]] : [])),
  );
}

function stretches(query: Naive, text: readonly string[]): Stretch[] {
  switch (query.kind) {
    case "word":
      return whole(text, (word) => equals(query.word, word));
    case "exact-case":
      return whole(text, (word) => equals(query.word, word) && capitals(word) === capitals(query.word));
    case "beginning":
      return whole(text, (word) => (FOLDED[word] ?? "").startsWith(query.letters));
    case "phrase":
      return text.flatMap((_, from) =>
        query.words.every((word, i) => from + i < text.length && equals(word, text[from + i] ?? ""))
          ? [{ from, to: from + query.words.length - 1 }]
          : [],
      );
    case "or":
      return query.of.flatMap((each) => stretches(each, text));
    case "without":
      return isMet(query, text) ? stretches(query.wanted, text) : [];
    case "near": {
      const pairs = stretches(query.left, text).flatMap((left) =>
        stretches(query.right, text)
          .filter((right) => isNear(left, right, query))
          .map((right) => [left, right]),
      );
      return pairs.flat();
    }
    default:
      throw new Error(`${query.kind} is not generated here`);
  }
}

function isNear(left: Stretch, right: Stretch, near: { distance: number; forward: boolean }): boolean {
  if (left.to < right.from) return right.from - left.to - 1 <= near.distance;
  return !near.forward && right.to < left.from && left.from - right.to - 1 <= near.distance;
}

function whole(text: readonly string[], fits: (word: string) => boolean): Stretch[] {
  return text.flatMap((word, at) => (fits(word) ? [{ from: at, to: at }] : []));
}

function equals(wanted: string, given: string): boolean {
  if (ACCENTED.has(wanted)) return wanted.toLowerCase() === given.toLowerCase();
  return FOLDED[wanted] === FOLDED[given];
}

function capitals(word: string): string {
  return [...word].map((letter) => (letter === letter.toLowerCase() ? "-" : letter)).join("");
}

const word = fc.constantFrom(...WORDS);

const simple: fc.Arbitrary<Naive> = fc.oneof(
  { weight: 4, arbitrary: word.map((chosen): Naive => ({ kind: "word", word: chosen })) },
  word.map(
    (chosen): Naive => ({
      kind: "exact-case",
      word: chosen.normalize("NFD").replaceAll(/[\u0300-\u036f]/g, ""),
    }),
  ),
  fc.constantFrom("su", "sun", "ni", "ti", "те").map((letters): Naive => ({ kind: "beginning", letters })),
  fc.array(word, { minLength: 2, maxLength: 3 }).map((words): Naive => ({ kind: "phrase", words })),
);

const distance = fc.integer({ min: 0, max: 4 });

/** What is allowed with NEAR: no AND. */
const nearable: fc.Arbitrary<Naive> = fc.letrec<{ side: Naive; near: Naive }>((tie) => ({
  side: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    simple,
    fc.array(tie("side"), { minLength: 2, maxLength: 3 }).map((of): Naive => ({ kind: "or", of })),
    fc.record({ kind: fc.constant("without" as const), wanted: tie("side"), unwanted: simple }),
    tie("near"),
  ),
  near: fc.record({
    kind: fc.constant("near" as const),
    left: tie("side"),
    right: tie("side"),
    distance,
    forward: fc.boolean(),
  }),
})).near;

export const naiveQuery: fc.Arbitrary<Naive> = fc.letrec<{ query: Naive }>((tie) => ({
  query: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    simple,
    fc.array(tie("query"), { minLength: 2, maxLength: 4 }).map((of): Naive => ({ kind: "and", of })),
    fc.array(tie("query"), { minLength: 2, maxLength: 4 }).map((of): Naive => ({ kind: "or", of })),
    fc.record({ kind: fc.constant("without" as const), wanted: tie("query"), unwanted: tie("query") }),
    nearable,
    fc.record({
      kind: fc.constant("loose" as const),
      // One word of a text may match two spellings, which trying every position does not allow.
      words: fc.array(
        word.filter((chosen) => !ACCENTED.has(chosen)),
        { minLength: 2, maxLength: 4 },
      ),
      distance,
    }),
  ),
})).query;

/** A text as its words, and as it is written. */
export const naiveText: fc.Arbitrary<{ words: string[]; text: string }> = fc
  .array(fc.tuple(word, fc.constantFrom(" ", ", ", "\n", " - ", "! ", "; ")), { maxLength: 12 })
  .map((parts) => ({
    words: parts.map(([chosen]) => chosen),
    text: parts.map(([chosen, between]) => chosen + between).join(""),
  }));
