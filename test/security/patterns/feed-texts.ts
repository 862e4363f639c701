/** Characters of many kinds: those that a class takes are found by asking it. */
const ALPHABET = [
  ..." !\"#$%&'()*+,-./0123456789:;<=>?@ABZ[\\]^_`abzxufe{|}~",
  ..."\t\n\r\0\u007f\u009b\u00a0é\u0301中あー\u0e01\u200b\u200d\u2028\u202e\u2066\ufe0f\ufeff",
  "\u{1f600}",
  "\u{1f1e9}",
  "\u{1f3fb}",
];

const MOST_CHARACTERS = 14;

/**
 * The characters that an expression speaks of: one or two of each of its atoms, so of every letter, class and escape.
 * What cannot be read alone (a part of a group, a quantifier) is left out.
 */
export function charactersOf(source: string, flags: string): string[] {
  const found = new Set<string>();
  for (const atom of atomsOf(source)) {
    let alone: RegExp;
    try {
      alone = new RegExp(`^(?:${atom})$`, flags.replaceAll(/[gym]/g, ""));
    } catch {
      continue;
    }
    let taken = 0;
    for (const character of ALPHABET) {
      if (taken < 2 && alone.test(character)) {
        if (!found.has(character)) taken++;
        found.add(character);
      }
    }
    if (atom.length === 1) found.add(atom);
  }
  return [...found].slice(0, MOST_CHARACTERS);
}

/** Classes (nested ones whole), escapes, and single characters. */
function atomsOf(source: string): Set<string> {
  const atoms = new Set<string>();
  for (let at = 0; at < source.length; ) {
    const end = source[at] === "[" ? endOfClass(source, at) : endOfAtom(source, at);
    atoms.add(source.slice(at, end));
    at = end;
  }
  return atoms;
}

function endOfAtom(source: string, at: number): number {
  if (source[at] !== "\\") return at + ((source.codePointAt(at) ?? 0 > 0xffff) ? 2 : 1);
  const long = /^\\(?:u\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]*\}|.)/is.exec(source.slice(at));
  return at + (long?.[0].length ?? 1);
}

function endOfClass(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") depth++;
    else if (source[at] === "]" && --depth === 0) return at + 1;
  }
  return source.length;
}

/** Texts of about n characters that make a bad expression go back and forth, each with a name for the report. */
export function* hostileTexts(
  characters: readonly string[],
  n: number,
): Generator<{ readonly name: string; readonly text: string }> {
  // A private one: hardly an expression takes it, so that what went well until here fails at the end.
  const stop = "\u{e000}";
  const run = (text: string) => text.repeat(Math.ceil(n / text.length));
  const show = (text: string) => JSON.stringify(text);
  for (const a of characters) {
    yield { name: `a run of ${show(a)}`, text: run(a) };
    yield { name: `a run of ${show(a)} that fails at its end`, text: run(a) + stop };
    for (const b of characters) {
      if (a === b) continue;
      yield { name: `${show(a)}, then a run of ${show(b)}`, text: a + run(b) + stop };
      if (a < b) yield { name: `${show(a)} and ${show(b)} in turn`, text: run(a + b) + stop };
    }
  }
}
