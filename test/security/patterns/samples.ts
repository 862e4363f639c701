import { createAccessTokens } from "../../../src/console/auth/access-tokens.ts";
import { localDate } from "../../../src/feeds/common/local-date.ts";
import { textOfHtml } from "../../../src/feeds/common/text-of-html.ts";
import { contentOf, titleOf } from "../../../src/feeds/kinds/rss/element-text.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { splitUnspaced } from "../../../src/lib/split-unspaced.ts";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import { splitWords, WORD_WITH_WILDCARDS } from "../../../src/listening-api/query-language/split-words.ts";
import { materialOf } from "../../../src/monitor/incidents/material.ts";
import { keyword } from "../../../src/monitor/rules/conditions/keyword.ts";
import { redact } from "../../../src/monitor/source/refusal.ts";
import { wholeWord } from "../../../src/monitor/store/whole-word.ts";
import { aMention } from "../../mention.ts";

/** An expression that is made of text while the program runs, as it is used: the characters to feed it with, and how. */
export interface Sample {
  readonly characters: string;
  readonly run: (text: string) => void;
}

const WORDS = "aA0_*?中あー\u0301\u200d\ufe0f\u{1f600}\u{1f1e9}";

const compiled = keyword.compile(["ab", "aab*", "中文", "a.b"]);
if ("issues" in compiled) throw new Error("the keywords of the sample have faults");
const { predicate } = compiled;
const words: Sample = {
  characters: "ab.中文 ",
  run: (text) => {
    const mention = aMention({ text });
    predicate.matches(mention);
    predicate.explain(mention);
  },
};

const names: Sample = { characters: "a 山김ー", run: wholeWord };

const tokens = createAccessTokens(
  { find: async () => null },
  {
    stored: {
      ...{ add: async () => {}, find: async () => null, noteUse: async () => {} },
      ...{ list: async () => [], end: async () => false },
    },
    wall: systemClock,
  },
);

/** As far as each of the expressions gets in a date, so that the text goes on from there. */
const BEGINNINGS = [
  "",
  "23 ",
  "23. nov",
  "23 nov 2026",
  "nov 23, 2026",
  "2026年",
  "2026年11月23日",
  "23.11.2026",
  "2026. gada 23. nov",
  "2026 m. nov 23",
  "23 tháng 11",
];
const dates: Sample = {
  characters: "1.:/, 年月時aeéº+A-",
  run: (text) => {
    for (const beginning of BEGINNINGS) localDate(`${beginning}${text}`);
  },
};

const element = {
  name: "title",
  attributes: new Map<string, string>(),
  language: null,
  base: "",
  children: [],
};

/** Each `RegExp(…)` of the product. A new one has to be written here, with a sample of how it is used. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'src/console/auth/access-tokens.ts: RegExp(`^earshot_(?:${TokenScope.options.join("|")})_[\\\\w-]{43}$`)': {
    characters: "earshot_-09",
    run: (text) => {
      for (const start of ["", "earshot_", "earshot_read_"]) void tokens.find(`${start}${text}`, "192.0.2.1");
    },
  },
  "src/feeds/common/local-date.ts: RegExp( `^(?<first>\\\\d{1,2})(?<sign>[./-])\\\\s?(?<other>\\\\d{1,2})\\\\2\\\\s?${YEAR}(?:\\\\sг\\\\.)?(?:[,\\\\s]{1,2}(?<hour>\\\\d{1,2}):(?<minute>\\\\d{2})(?::(?<second>\\\\d{2}))?)?(?:\\\\s?[AaPp]\\\\.?\\\\s?[Mm]\\\\.?|\\\\s(?:Uhr|ч\\\\.|[A-Z]{3,4}|[+-]\\\\d{2}:?\\\\d{2}))*$`, )":
    dates,
  'src/feeds/common/local-date.ts: RegExp(pattern, "u")': dates,
  'src/feeds/common/text-of-html.ts: RegExp(`</(?:[a-z]+:)?${name}(?=[\\\\s/>]|$)`, "gi")': {
    characters: "</a:svg> \n",
    run: (text) => {
      textOfHtml(`<svg>${text}`);
      textOfHtml(`<svg></${text}`);
    },
  },
  'src/feeds/kinds/rss/element-text.ts: RegExp(`<(?!/?(?:[a-z]+:)?(?:${TAGS})(?:[\\\\s/>]|$)|!--)`, "gi")': {
    characters: "</a:bp!-> ",
    run: (text) => {
      titleOf(`<b>${text}`);
      titleOf(`</${text}`);
    },
  },
  // Of what a field says: CDATA is handed over as it is.
  'src/feeds/kinds/rss/element-text.ts: RegExp(`<(?:/?(?:${TAGS})(?:\\\\s[^<>]*)?/?>|!--)|&(?:#x?[\\\\da-f]+|[a-z][a-z\\\\d]+);`, "i")':
    {
      characters: "</abp!->&#x1; ",
      run: (text) => {
        for (const start of ["", "<a ", "&a", "&#x"])
          contentOf({ ...element, raw: `<![CDATA[${start}${text}]]>` }, "sniff");
      },
    },
  'src/listening-api/query-language/split-words.ts: RegExp( `(?<![*?])[*?]*(?:${LETTER}(?:${INSIDE}|[*?])*|${ONE_CHARACTER}[*?]*|${EMOJI})`, "gv", )':
    {
      characters: WORDS,
      run: (text) => {
        for (const _ of text.matchAll(WORD_WITH_WILDCARDS));
      },
    },
  'src/listening-api/query-language/split-words.ts: RegExp(`${LETTER}(?:${INSIDE})*|${ONE_CHARACTER}|${EMOJI}`, "gv")':
    {
      characters: WORDS,
      run: splitWords,
    },
  // Of the first letter of a word only.
  'src/monitor/rules/conditions/keyword.ts: RegExp(`^(?![${UNSPACED}])${WORD_LETTER}`, "v")': words,
  'src/monitor/rules/conditions/keyword.ts: RegExp(`(?!${WORD_LETTER})`, "vy")': words,
  'src/monitor/rules/conditions/keyword.ts: RegExp(folded.map((word) => escaped(literalOf(word))).join("|"))':
    words,
  'src/monitor/rules/conditions/keyword.ts: RegExp(wholeWords(folded), "v")': words,
  'src/monitor/store/whole-word.ts: RegExp(`^[${UNSPACED}]`, "u")': names,
  'src/monitor/store/whole-word.ts: RegExp(`[${UNSPACED}\\\\p{sc=Hangul}\\\\u30fc]$`, "u")': names,
  'src/monitor/incidents/material.ts: RegExp(`[${UNSPACED}\\\\p{sc=Hangul}\\\\u30fc]+`, "gu")': {
    characters: "#a 山カーのกิ한",
    run: (text) => void materialOf([{ mention: aMention({ text }), story: "" }], []),
  },
  'src/listening-api/query-language/read-operand.ts: RegExp(`^[${UNSPACED}\\\\u30fc]\\\\p{M}*\\\\*+$`, "u")':
    {
      characters: "山ーกิ*a ",
      run: (text) => void compile(text),
    },
  'src/lib/split-unspaced.ts: RegExp(`#?[${UNSPACED}\\\\u30fc]{2,}`, "gu")': {
    characters: "#a 山カーのกิ",
    run: splitUnspaced,
  },
  // A literal, whatever the secret is.
  'src/monitor/source/refusal.ts: RegExp(escapeForPattern(form), "gi")': {
    characters: "ab+(*",
    run: (text) => redact(text, ["aaab", "(a+)+$"]),
  },
};
