import type { Expression, Term } from "#listening-api";
import type { ListedAuthor, MentionFilter } from "#monitor";
import type { Search } from "./read-search.ts";

/** A part of a search that a rule cannot say, or says otherwise. */
export interface RuleNote {
  /** As it was typed or chosen. */
  readonly part: string;
  readonly text: string;
}

interface RuleOfSearch {
  /** Of a rule file; null: nothing of it is a condition. */
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly notes: readonly RuleNote[];
}

interface SearchRequest {
  readonly filter: MentionFilter;
  readonly search: Search;
}

/** Conditions as they stand under `when`. */
type WrittenConditions = Readonly<Record<string, unknown>>;

/** An author list that is longer stays out: nobody could read the rule. */
const MOST_AUTHORS = 200;

const LEFT_OUT = "no condition of a rule reads it, so it is left out";

/** Whether a search asks for something that mentions say: a query and a time alone are no rule. */
export function asksForText({ filter, search }: SearchRequest): boolean {
  if (search.kind !== "Everything") return search.kind !== "Fault";
  const { sentiment, author, language, pageType, category, country, tag, list } = filter;
  return [sentiment, author, language, pageType, category, country, tag, list].some((one) => one != null);
}

/** The rule that matches what somebody searched, and what of the search is not in it, or says something else there. */
export function ruleOfSearch(
  { filter, search }: SearchRequest,
  known: { readonly queryNames: readonly string[]; readonly listed: readonly ListedAuthor[] },
): RuleOfSearch {
  const notes: RuleNote[] = [];
  const parts = [
    ofText(search, notes),
    ...ofFilter(filter, notes),
    filter.list == null ? null : ofList(filter.list, known.listed, notes),
  ];
  noteWithout(filter, notes);
  const when = allOf(parts);
  if (when === null) return { content: null, notes: distinct(notes) };
  const content = {
    description: describe(filter, search),
    ...(known.queryNames.length > 0 && { queries: oneOrMany(known.queryNames) }),
    severity: "warning",
    when,
  };
  return { content, notes: distinct(notes) };
}

function describe({ sentiment, author, category }: MentionFilter, search: Search): string {
  const typed =
    search.kind === "Words" ? search.words.join(" ") : search.kind === "Query" ? search.query.text : null;
  const found = [typed, sentiment, author, category].filter((one) => one != null);
  return `Mentions like those found${found.length === 0 ? "" : `: ${found.join(", ")}`}`;
}

function ofText(search: Search, notes: RuleNote[]): WrittenConditions | null {
  if (search.kind === "Query") return ofExpression(search.query.expression, search.query.text, notes);
  if (search.kind !== "Words") return null;
  return allOf(
    search.words.map((word) => {
      if (!CAN_BE_KEYWORD.test(word))
        return leftOut(notes, word, "it has no letter or digit, so it is left out");
      notes.push({
        part: search.words.join(" "),
        text: "a search finds simple words inside other words, too; the rule finds words that begin with them",
      });
      return { keyword: `${word.replace(/(?<!\*)\*+$/, "")}*` };
    }),
  );
}

const CAN_BE_KEYWORD = /[\p{L}\p{N}\p{S}]/u;

function ofFilter(filter: MentionFilter, notes: RuleNote[]): (WrittenConditions | null)[] {
  const { sentiment, author, language, pageType, category, country, tag } = filter;
  if (tag != null)
    notes.push({
      part: `tag: ${tag}`,
      text: "a rule reads the tags of the source, and not those that people set here",
    });
  return [
    sentiment === null ? null : { sentiment },
    author == null ? null : { author },
    language == null ? null : ofLanguage(language, `language: ${language}`, notes),
    ...Object.entries({ pageType, category, country, tag }).map(([name, value]) =>
      value == null ? null : { [name]: value },
    ),
  ];
}

/** What a rule knows nothing of. */
function noteWithout(
  { domain, story, alertId, from, to, assignee, status }: MentionFilter,
  notes: RuleNote[],
) {
  if (domain != null) notes.push({ part: `site: ${domain}`, text: LEFT_OUT });
  if (story != null)
    notes.push({ part: "the story", text: "a rule is for stories to come, so it is left out" });
  if (alertId != null) notes.push({ part: "the alert", text: LEFT_OUT });
  if (from != null || to != null)
    notes.push({ part: "the time", text: "a rule judges each mention when it comes in, so it is left out" });
  if (assignee != null || status != null)
    notes.push({
      part: "assignee and status",
      text: "a rule judges what a mention says, and not what people decided about it, so they are left out",
    });
}

function ofList(list: string, listed: readonly ListedAuthor[], notes: RuleNote[]): WrittenConditions | null {
  const own = listed.filter((one) => one.list.toLowerCase() === list.toLowerCase());
  const authors = [...new Set(own.map(({ author }) => author))].filter((author) => author.trim() !== "");
  const part = `list: ${list}`;
  if (authors.length === 0) return leftOut(notes, part, "nobody is on this list, so it is left out");
  if (authors.length > MOST_AUTHORS)
    return leftOut(notes, part, `more than ${MOST_AUTHORS} authors are on it, so it is left out`);
  const text =
    "the rule names the authors who are on the list now, on every site; it does not follow the list";
  notes.push({ part, text });
  return { author: oneOrMany(authors) };
}

function ofLanguage(language: string, part: string, notes: RuleNote[]): WrittenConditions | null {
  if (/^[a-z]{2}$/i.test(language)) return { language };
  return leftOut(notes, part, "a rule knows languages by two letters, so it is left out");
}

/** The conditions of an expression; null if none of it can be said. */
function ofExpression(expression: Expression, typed: string, notes: RuleNote[]): WrittenConditions | null {
  const part = typed.slice(expression.start, expression.end);
  const each = (parts: readonly Expression[]) => parts.map((one) => ofExpression(one, typed, notes));
  switch (expression.kind) {
    case "term":
      return ofTerm(expression, part, notes);
    case "field":
      return ofField(expression.test, part, notes);
    case "all":
      return allOf(each(expression.of));
    case "any":
      return anyOf(each(expression.of));
    case "not": {
      const inner = ofExpression(expression.of, typed, notes);
      return inner === null ? null : { not: inner };
    }
    case "near":
    case "within": {
      const of =
        expression.kind === "near"
          ? [expression.left, expression.right]
          : expression.of.map((one) => one.expression);
      notes.push({ part, text: "a rule does not know how close words are: it asks for all of them" });
      return allOf(of.map((one) => ofWordOf(one) ?? ofExpression(one, typed, notes)));
    }
  }
}

/** A word of a phrase whose words may stand apart; what was typed for it is the whole phrase. */
function ofWordOf(expression: Expression): WrittenConditions | null {
  if (expression.kind !== "term" || expression.pieces.length !== 1) return null;
  const { lead, pieces, trail } = expression;
  const [word] = pieces.map((piece) => piece.word);
  return word === undefined || word.kind === "glob" ? null : { keyword: `${lead}${word.folded}${trail}` };
}

function ofTerm(term: Term, part: string, notes: RuleNote[]): WrittenConditions | null {
  const typed = part
    .replace(/^title:/i, "")
    .replace(/^["{]|["}]$/g, "")
    .replaceAll(/\\(.)/g, "$1")
    .trim();
  const core = typed.replaceAll(/^[^\p{L}\p{N}_]+|[^\p{L}\p{M}\p{N}_*?]+$/gu, "");
  const text = core === "" ? typed : `${term.lead}${core}${term.trail}`.replaceAll(/\s+/g, " ");
  if (!CAN_BE_KEYWORD.test(text)) return leftOut(notes, part, "it has no letter or digit, so it is left out");
  if (term.where === "title")
    notes.push({ part, text: "the rule looks for it in the text as well as in the title" });
  if (term.pieces.some(({ word }) => word.kind === "cased"))
    notes.push({ part, text: "in a rule, upper case makes no difference" });
  if (term.pieces.some(({ word }) => word.kind === "accented"))
    notes.push({ part, text: "in a rule, accents make no difference" });
  if (/[*?]/.test(text.replace(/\*$/, ""))) return ofWildcards(text, part, notes);
  if (term.pieces.length > 1)
    notes.push({
      part,
      text: "the rule wants these words as they stand here, with no other sign between them",
    });
  return { keyword: text };
}

/** Wildcards inside a word are a pattern; in other alphabets nothing says where a word ends. */
function ofWildcards(text: string, part: string, notes: RuleNote[]): WrittenConditions | null {
  if (!/^[\w*? ]+$/.test(text))
    return leftOut(notes, part, "a rule has no such wildcards, so it is left out");
  const words = text.split(" ").map((word) => word.replaceAll("*", "\\w*").replaceAll("?", "\\w"));
  return { pattern: `\\b${words.join("\\W+")}\\b` };
}

type FieldTest = Extract<Expression, { readonly kind: "field" }>["test"];

function ofField(test: FieldTest, part: string, notes: RuleNote[]): WrittenConditions | null {
  const { name } = test.field;
  if (test.kind === "range")
    return name === "authorFollowers"
      ? { followers: { atLeast: test.from, atMost: test.to } }
      : leftOut(notes, part, LEFT_OUT);
  const { value } = test;
  switch (name) {
    case "author":
      notes.push({ part, text: "the rule finds it inside a name, too" });
      return { author: `*${value.replace(/^@/, "")}*` };
    case "authorVerified":
      return { verified: value === "true" };
    case "language":
      return ofLanguage(value, part, notes);
    case "country":
      return { country: value };
    default:
      return leftOut(notes, part, LEFT_OUT);
  }
}

function leftOut(notes: RuleNote[], part: string, text: string): null {
  notes.push({ part, text });
  return null;
}

/** Conditions of one level, if no two have the same name. */
function allOf(parts: readonly (WrittenConditions | null)[]): WrittenConditions | null {
  const whens = parts.filter((part) => part !== null);
  const keys = whens.flatMap(Object.keys);
  if (whens.length === 0) return null;
  return new Set(keys).size === keys.length ? Object.assign({}, ...whens) : { all: whens };
}

/** Values of one condition are a list. */
function anyOf(parts: readonly (WrittenConditions | null)[]): WrittenConditions | null {
  const whens = parts.filter((part) => part !== null);
  const [first] = whens;
  if (first === undefined || whens.length === 1) return first ?? null;
  const [name = ""] = Object.keys(first);
  const isOne = whens.every((when) => Object.keys(when).length === 1 && when[name] !== undefined);
  if (isOne && LISTS.has(name)) return { [name]: whens.flatMap((when) => when[name]) };
  return { any: whens };
}

const LISTS: ReadonlySet<string> = new Set(["keyword", "author", "language", "country"]);

function oneOrMany(words: readonly string[]): string | readonly string[] {
  const [first = ""] = words;
  return words.length === 1 ? first : words;
}

function distinct(notes: readonly RuleNote[]): RuleNote[] {
  return [...new Map(notes.map((note) => [`${note.part}\n${note.text}`, note])).values()];
}
