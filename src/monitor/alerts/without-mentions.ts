import { foldText, startOf } from "../../lib/text.ts";
import { Explanation } from "../model/alert.ts";
import type { Mention, StoryMention } from "../model/mention.ts";

/** What an alert says of its mentions. */
interface AlertContent {
  readonly labels: Readonly<Record<string, string>>;
  /** As stored; null if there is none. */
  readonly explanation: unknown;
}

/** Stands in a label in the place of a name that nothing stored has any more. */
const DELETED_VALUE = "deleted";

/**
 * What an alert still may say when these mentions (`gone`) are deleted, or were edited and are here as they were before.
 * `rest` are its other mentions: what one of them says as well stays. Numbers stay: they were true when people were
 * notified. An explanation that cannot be read is dropped.
 */
export function withoutMentions(
  { labels, explanation }: AlertContent,
  gone: readonly StoryMention[],
  rest: readonly StoryMention[],
): AlertContent {
  const isGone = missingFrom(rest, gone);
  return {
    labels: Object.fromEntries(
      Object.entries(labels).map(([name, value]) => [
        name,
        isGone.label(name, value) ? DELETED_VALUE : value,
      ]),
    ),
    explanation: explanation === null ? null : explained(explanation, isGone),
  };
}

/** Words of the configuration or of the source, not of a person. */
const KEPT_LABELS: ReadonlySet<string> = new Set(["query", "queryId", "category", "country", "language"]);

interface GonePredicates {
  readonly label: (name: string, value: string) => boolean;
  /** An author, domain or hashtag of the mentions that are gone, and of no other. */
  readonly name: (value: string) => boolean;
  readonly word: (word: string) => boolean;
}

function missingFrom(rest: readonly StoryMention[], gone: readonly StoryMention[]): GonePredicates {
  const stories = new Set(gone.map(({ story }) => story));
  for (const { story } of rest) stories.delete(story);
  const names = new Set(gone.flatMap(({ mention }) => namesOf(mention)));
  const others = new Set(rest.flatMap(({ mention }) => namesOf(mention)));
  const texts = new Set(gone.map(({ mention }) => textOf(mention)));
  const otherTexts = rest.map(({ mention }) => textOf(mention));
  // A label is cut after 200 characters.
  const name = (value: string) => names.has(cut(value)) && !others.has(cut(value));
  return {
    name,
    label: (label, value) =>
      label === "story" ? stories.has(value) : !KEPT_LABELS.has(label) && name(value),
    word: (word) => {
      const folded = foldText(word);
      const isIn = (text: string) => text.includes(folded);
      return [...texts].some(isIn) && !otherTexts.some(isIn);
    },
  };
}

function explained(stored: unknown, isGone: GonePredicates): Explanation | null {
  const { success, data } = Explanation.safeParse(stored);
  if (!success) return null;
  return {
    ...data,
    authors: { ...data.authors, loudest: data.authors.loudest.filter(({ name }) => !isGone.name(name)) },
    domains: data.domains.filter(({ name }) => !isGone.name(name)),
    words: data.words.filter((word) => !isGone.word(word)),
  };
}

function namesOf({ author, authorName, domain, url, hashtags, repostOf }: Mention): string[] {
  const tags = hashtags.map((tag) => `#${tag.replace(/^[#\uff03]/, "")}`);
  return [author, authorName, domain, url, repostOf, ...tags].flatMap((name) =>
    name === null || name === "" ? [] : [cut(name)],
  );
}

function cut(name: string): string {
  return startOf(foldText(name), 200);
}

function textOf({ title, text }: Mention): string {
  return foldText(`${title ?? ""} ${text ?? ""}`);
}

/** Whether a person reads something else in it than before. New counts and verdicts are no edit. */
export function isEdited(before: Mention, after: Mention): boolean {
  return (
    EDITED.some((name) => before[name] !== after[name]) ||
    before.hashtags.join("\n") !== after.hashtags.join("\n")
  );
}

const EDITED = ["title", "text", "url", "domain", "author", "authorName", "site", "repostOf"] as const;
