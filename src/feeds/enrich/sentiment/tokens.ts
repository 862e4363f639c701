import { normalized } from "../../../lib/text.ts";

/** A text as the model reads it. */
export interface Tokens {
  /** Words in small letters, emoji, faces like `:)`, marks. */
  readonly tokens: readonly string[];
  /** Of each token: does it stand shortly after "not", in the same clause? */
  readonly negated: readonly boolean[];
  /** What is seen without reading: capitals, stretched words, addresses, names. */
  readonly shape: ReadonlySet<string>;
}

/** The beginning says what it is about, the end what the writer thinks. A hostile text costs no more than this. */
const BEGINNING = 1_500;
const END = 500;
/** Tokens after a negation that it turns around. */
const REACH = 3;

const ADDRESSES = /(?:https?:\/\/|www\.)\S+|\bhttps?\b/giu;
const NAMES = /@[\w.-]+/g;
/** `:-)`, `=D`, `<3`, `^^`, `T_T`, `xD`, and the same turned around. */
const FACES =
  /[<>]?[:;=8][-o*']{0,2}[)\]([dDpPoO/\\:}{@|*3]{1,9}(?![\p{L}\d])|[)\]([}{]{1,9}[-o*']{0,2}[:;=](?!\S)|<3{1,9}|\^[_.-]{0,3}\^|[tT]_{1,3}[tT]|-_{1,3}-|>_{1,3}<|\b[xX][dD]{1,9}\b/gu;
const TOKENS =
  /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\p{Extended_Pictographic}|\d+|[!?]+|\.{2,}|\uE000\d+\uE001|[#"“”«»:;%€$£&*()/+-]/gu;
const CLAUSE_END = /^[!?.:;"]/;
const LETTER = /^\p{L}/u;

/** Of all languages together: a language is often not known, and a word of one is rarely a word of another. */
const NEGATIONS = new Set(
  [
    "not no never nor neither cannot cant dont doesnt didnt wont isnt arent wasnt without hardly barely nothing nobody none",
    "nicht kein keine keinen keiner keinem keines nie niemals nichts ohne kaum niemand nix ned net",
    "pas jamais rien aucun aucune sans ni guère",
    "non mai senza nessuno nessuna niente nemmeno neanche",
    "não nao nunca nem sem nada ninguém nenhum nenhuma",
    "jamás jamas sin tampoco ningún ninguna nadie",
    "niet geen nooit niks niets zonder nauwelijks",
    "nahi nahin nhi nai nahee mat",
    "لا مش ليس ليست لم لن ما مو مب غير بدون ولا مافي مافيش",
    "inte aldrig ingen inget değil yok",
  ].flatMap((words) => words.split(" ")),
);

export function readTokens(text: string): Tokens {
  const shape = new Set<string>();
  const faces: string[] = [];
  const prose = normalized(bothEnds(text), "NFC")
    .replaceAll(ADDRESSES, () => seen("address", " "))
    .replaceAll(NAMES, () => seen(shape.has("name") ? "names" : "name", " "))
    .replaceAll(FACES, (face) => ` \uE000${faces.push(plainFace(face)) - 1}\uE001 `);
  if (/\p{Lu}{3}/u.test(prose)) shape.add("capitals");
  const small = foldWord(prose, () => seen("stretched", ""));
  const tokens = Array.from(small.matchAll(TOKENS), ([token]) => plainToken(token, faces));
  shape.add(`length ${Math.min(6, Math.floor(Math.log2(1 + tokens.length)))}`);
  return { tokens, negated: markNegated(tokens), shape };

  function seen(what: string, instead: string): string {
    shape.add(what);
    return instead;
  }
}

/** How a word is looked up: small letters, "soooo" as "soo", one way to write an Arabic letter. */
export function foldWord(text: string, onStretched?: () => void): string {
  return text
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[\u064B-\u0652\u0640]/g, "")
    .replaceAll(/[أإآؤئىة]/g, (letter) => ARABIC[letter] ?? letter)
    .replaceAll(/(\p{L})\1{2,}/gu, (_, letter: string) => {
      onStretched?.();
      return letter + letter;
    });
}

const ARABIC: Readonly<Record<string, string>> = { أ: "ا", إ: "ا", آ: "ا", ؤ: "و", ئ: "ي", ى: "ي", ة: "ه" };

export function isWord(token: string): boolean {
  return LETTER.test(token);
}

function bothEnds(text: string): string {
  if (text.length <= BEGINNING + END) return text;
  return `${text.slice(0, BEGINNING)} ${text.slice(-END)}`;
}

/** Faces begin with a sign that no word has. `:-))` is `:)`. */
function plainFace(face: string): string {
  return `\uE000${face
    .replaceAll(/[-o'_.]/g, "")
    .replaceAll(/(.)\1+/g, "$1")
    .toLowerCase()}`;
}

function plainToken(token: string, faces: readonly string[]): string {
  const first = token.charAt(0);
  if (first === "\uE000") return faces[Number(token.slice(1, -1))] ?? token;
  if (first >= "0" && first <= "9") return "0";
  if (first === ".") return "..";
  return first === "!" || first === "?" ? token.slice(0, 3) : token;
}

function markNegated(tokens: readonly string[]): readonly boolean[] {
  let reach = 0;
  return tokens.map((token) => {
    if (!isWord(token)) {
      if (CLAUSE_END.test(token)) reach = 0;
      return false;
    }
    const isNegated = reach > 0;
    if (NEGATIONS.has(token) || token.endsWith("n't")) reach = REACH;
    else if (reach > 0) reach--;
    return isNegated;
  });
}
