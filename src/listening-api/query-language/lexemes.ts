import type { Field } from "./fields/define-field.ts";
import { checkFieldName, fieldNamed } from "./fields.ts";
import type { Problems, Span } from "./problem.ts";

/** The smallest parts of a query text. Comments are no lexemes. */
export type Lexeme = Span &
  (
    | { readonly kind: "open" | "close" | "and" | "or" | "not" }
    | { readonly kind: "near"; readonly distance: number; readonly forward: boolean }
    /** `~5`; `glued` to the text before it, as required. */
    | { readonly kind: "tilde"; readonly distance: number; readonly glued: boolean }
    | { readonly kind: "text"; readonly text: string; readonly form: TextForm }
    | { readonly kind: "field"; readonly field: Field }
    | { readonly kind: "range"; readonly text: string }
  );

export type TextForm = "word" | "phrase" | "braces";

/** Splits a query text into lexemes, in one pass. Unreadable parts are reported to `problems` and left out. */
export function readLexemes(text: string, problems: Problems): Lexeme[] {
  const lexemes: Lexeme[] = [];
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (/\s/.test(character)) at++;
    else if (text.startsWith("<<<", at)) at = skipComment(text, at, depth, problems);
    else if (character === "(" || character === ")") {
      depth += character === "(" ? 1 : -1;
      lexemes.push({ kind: character === "(" ? "open" : "close", start: at, end: ++at });
    } else if (character === "~") at = readTilde(text, at, lexemes, problems);
    else if (character in ENCLOSED) at = readEnclosed(text, at, lexemes, problems);
    else if (character === "]" || character === "}") {
      problems.add(
        "error",
        "unopened",
        { start: at, end: at + 1 },
        `There is no ${character === "]" ? "[" : "{"} before this ${character}; remove it, or put the text in quotes.`,
      );
      at++;
    } else at = readWord(text, at, lexemes, problems);
  }
  return lexemes;
}

/** What opens a text or a range, and all that may close it. */
const ENCLOSED: Readonly<Record<string, { closedBy: string; kind: TextForm | "range"; name: string }>> = {
  '"': { closedBy: '"', kind: "phrase", name: "quotation mark" },
  "“": { closedBy: '”“"', kind: "phrase", name: "quotation mark" },
  "”": { closedBy: '”"', kind: "phrase", name: "quotation mark" },
  "„": { closedBy: '“”"', kind: "phrase", name: "quotation mark" },
  "{": { closedBy: "}", kind: "braces", name: "brace" },
  "[": { closedBy: "]", kind: "range", name: "square bracket" },
};

function skipComment(text: string, start: number, depth: number, problems: Problems): number {
  const close = text.indexOf(">>>", start + 3);
  const end = close === -1 ? text.length : close + 3;
  if (close === -1) problems.add("error", "unclosed", { start, end }, "Close this comment with >>>.");
  else if (depth > 0) {
    problems.add(
      "warning",
      "comment-in-brackets",
      { start, end },
      "The live service takes comments outside of brackets only; move this one before the bracket.",
    );
  }
  return end;
}

function readTilde(text: string, start: number, lexemes: Lexeme[], problems: Problems): number {
  const digits = /^\d*/.exec(text.slice(start + 1, start + 12))?.[0] ?? "";
  let end = start + 1 + digits.length;
  const glued = lexemes.at(-1)?.end === start;
  const follows = text[end];
  const isCutOff = follows === undefined || /[\s()]/.test(follows) || text.startsWith("<<<", end);
  if (digits !== "" && isCutOff) {
    lexemes.push({ kind: "tilde", distance: Number(digits), glued, start, end });
    return end;
  }
  while (end < text.length && !/[\s()"]/.test(text[end] ?? "")) end++;
  problems.add(
    "error",
    "tilde",
    { start, end },
    'A ~ needs a number of words and nothing else; write "two words"~5.',
  );
  return end;
}

function readEnclosed(text: string, start: number, lexemes: Lexeme[], problems: Problems): number {
  const { closedBy, kind, name } = ENCLOSED[text[start] ?? ""] ?? {
    closedBy: '"',
    kind: "phrase",
    name: "quotation mark",
  };
  let close = start + 1;
  while (close < text.length && !closedBy.includes(text[close] ?? "")) close += text[close] === "\\" ? 2 : 1;
  const end = Math.min(close + 1, text.length);
  if (close >= text.length) {
    problems.add("error", "unclosed", { start, end }, `Close this ${name} with ${closedBy.at(-1)}.`);
    return end;
  }
  if ("“”„".includes(text[start] ?? "")) {
    problems.add(
      "warning",
      "typographic-quotes",
      { start, end },
      'These are typographic quotation marks; write straight ones: "…".',
    );
  }
  const inside = text.slice(start + 1, close);
  if (kind === "range") lexemes.push({ kind, text: inside, start, end });
  else lexemes.push({ kind: "text", form: kind, text: withoutEscapes(inside), start, end });
  return end;
}

/** No name of a field is as long. */
const LONGEST_NAME = 30;

/** The end of a word without quotes. */
const WORD_END = /[\s()"“”„{}[\]~]/;

function readWord(text: string, start: number, lexemes: Lexeme[], problems: Problems): number {
  let end = start;
  while (end < text.length && !WORD_END.test(text[end] ?? "") && !text.startsWith("<<<", end)) {
    if (text[end] === ":" && end > start && end - start < LONGEST_NAME && !isFieldValue(lexemes, start)) {
      const name = text.slice(start, end);
      const field = fieldNamed(name);
      if (field !== undefined) {
        lexemes.push({ kind: "field", field, start, end: end + 1 });
        return end + 1;
      }
      if (/^\w+$/.test(name)) checkFieldName(name, { start, end: end + 1 }, problems);
    }
    end += text[end] === "\\" && end + 1 < text.length ? 2 : 1;
  }
  const word = text.slice(start, end);
  if (word.startsWith(":")) {
    problems.add(
      "error",
      "space-before-colon",
      { start, end },
      'A colon must follow the name of a field directly; write title:word, or put the text in quotes: ":)".',
    );
    return end;
  }
  if (word.endsWith(":") && text[end] === '"')
    return readPhraseAfterColon(text, start, end, lexemes, problems);
  lexemes.push(readOperator(word, { start, end }, problems) ?? textOf(word, start, end));
  return end;
}

/** The text right after `field:` is its value, colons and all. */
function isFieldValue(lexemes: readonly Lexeme[], start: number): boolean {
  const before = lexemes.at(-1);
  return before?.kind === "field" && before.end <= start;
}

/** `name:"some words"` with a name that is no field is text like any other. */
function readPhraseAfterColon(
  text: string,
  start: number,
  quoteAt: number,
  lexemes: Lexeme[],
  problems: Problems,
): number {
  const end = readEnclosed(text, quoteAt, lexemes, problems);
  const phrase = lexemes.at(-1);
  if (phrase?.kind !== "text" || phrase.start !== quoteAt) return end;
  lexemes.pop();
  lexemes.push({ ...phrase, text: text.slice(start, quoteAt) + phrase.text, start });
  return end;
}

function textOf(word: string, start: number, end: number): Lexeme {
  return { kind: "text", form: "word", text: withoutEscapes(word), start, end };
}

/** A backslash takes the meaning from what follows; an escaped wildcard parts words like any other sign. */
function withoutEscapes(text: string): string {
  return text.includes("\\")
    ? text.replaceAll(/\\([\s\S])/g, (_, c: string) => ("*?".includes(c) ? " " : c))
    : text;
}

/**
 * The operator that a word is, or undefined if it is a word to search for; one that looks like an operator is reported.
 */
function readOperator(word: string, { start, end }: Span, problems: Problems): Lexeme | undefined {
  const kind = Object.hasOwn(OPERATORS, word) ? OPERATORS[word] : undefined;
  if (kind !== undefined) return { kind, start, end };
  const [, digits, forward] = /^NEAR\/(\d{1,9})(f?)$/.exec(word) ?? [];
  if (digits !== undefined) {
    return { kind: "near", distance: Number(digits), forward: forward === "f", start, end };
  }
  if (/^NEAR(?:\/|$)/.test(word)) {
    problems.add(
      "error",
      "near-distance",
      { start, end },
      "NEAR needs a number of words; write NEAR/5, or NEAR/5f when the left one comes first.",
    );
    return { kind: "near", distance: 0, forward: false, start, end };
  }
  if (/^(?:and|or|not|near\/\d+f?)$/i.test(word)) {
    problems.add(
      "warning",
      "lower-case-operator",
      { start, end },
      `This is searched as a word, because operators count in upper case only; write ${word.toUpperCase().replace(/F$/, "f")}, or put it in quotes.`,
    );
  }
  return undefined;
}

const OPERATORS: Readonly<Record<string, "and" | "or" | "not">> = { AND: "and", OR: "or", NOT: "not" };
