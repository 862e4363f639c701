import { foldText } from "../../lib/text.ts";
import type { Mention } from "../model/mention.ts";
import {
  type DigestPage,
  type DigestStoryRow,
  type DigestTable,
  type DigestView,
  storedDigest,
} from "../templates/digest-view.ts";
import { buildMentionView, deletedMentions, type MentionView } from "../templates/mention-view.ts";

/** A mention that was deleted (`after` null) or edited. */
interface ReplacedMention {
  readonly before: Mention;
  readonly after: Mention | null;
}

/** Names of authors, and hashtags without #. */
interface GoneNames {
  readonly authors: readonly string[];
  readonly hashtags: readonly string[];
}

/**
 * A built edition without what mentions said that were deleted or edited since; null if it says nothing of them. Its
 * numbers stay.
 */
export function digestWithout(
  body: unknown,
  replaced: readonly ReplacedMention[],
  gone: GoneNames,
): DigestView | null {
  const view = storedDigest(body);
  const authors = namesOf(gone.authors);
  const hashtags = namesOf(gone.hashtags);
  const corrected: DigestView = {
    ...view,
    topMentions: view.topMentions.map((shown) => mentionWithout(shown, replaced)),
    topStories: view.topStories.map((row) => storyWithout(row, replaced)),
    topAuthors: view.topAuthors.filter(({ name }) => !authors.has(foldText(name))),
    topHashtags: view.topHashtags.filter(({ name }) => !hashtags.has(foldText(name))),
    page: view.page === null ? null : pageWithout(view.page, replaced, authors),
  };
  return JSON.stringify(corrected) === JSON.stringify(view) ? null : corrected;
}

/** Whose row a site has left is not known, so it goes with the first mention of it that was deleted. */
function pageWithout(
  page: DigestPage,
  replaced: readonly ReplacedMention[],
  authors: ReadonlySet<string>,
): DigestPage {
  const sites = new Set(
    replaced.flatMap(({ before: { domain }, after }) =>
      after === null && domain !== null ? [foldText(domain)] : [],
    ),
  );
  const isGone = ({ name, facet }: DigestTable["rows"][number]) => {
    const folded = foldText(name);
    if (facet === "author") return authors.has(folded) || authors.has(`@${folded}`);
    return facet === "domain" && sites.has(folded.replace(/^site /, ""));
  };
  return {
    ...page,
    tables: page.tables.map((table) => ({ ...table, rows: table.rows.filter((row) => !isGone(row)) })),
  };
}

/** Those of the names that an edition shows among its authors and hashtags. */
export function shownNames(body: unknown, { authors, hashtags }: GoneNames): GoneNames {
  const { topAuthors, topHashtags, page } = storedDigest(body);
  // Counted without their @.
  const counted = (page?.tables ?? []).flatMap(({ rows }) =>
    rows.flatMap(({ name, facet }) => (facet === "author" ? [{ name }, { name: `@${name}` }] : [])),
  );
  const shown = (rows: readonly { readonly name: string }[], names: readonly string[]) => {
    const listed = new Set(rows.map(({ name }) => foldText(name)));
    return names.filter((name) => [...namesOf([name])].some((one) => listed.has(one)));
  };
  return { authors: shown([...topAuthors, ...counted], authors), hashtags: shown(topHashtags, hashtags) };
}

/** Whole, and as long as a digest shows it. */
function namesOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [foldText(name), foldText(shownName(name))]));
}

/** The name of a mention's author, as every view shortens names. */
function shownName(name: string): string {
  return buildMentionView({ ...NOBODY, author: name }).authorName;
}

function mentionWithout(shown: MentionView, replaced: readonly ReplacedMention[]): MentionView {
  const found = replaced.find(({ before }) => {
    const view = buildMentionView(before);
    return (
      view.title === shown.title &&
      view.text === shown.text &&
      view.url === shown.url &&
      view.authorName === shown.authorName
    );
  });
  if (found === undefined) return shown;
  return found.after === null ? deletedMentions(1) : buildMentionView(found.after, shown.copies);
}

function storyWithout(row: DigestStoryRow, replaced: readonly ReplacedMention[]): DigestStoryRow {
  const found = replaced.find(({ before }) => {
    const { title, text, url, domain } = buildMentionView(before);
    return row.url === url && (title ?? (text || domain)) === row.text;
  });
  if (found === undefined) return row;
  const { title, text, authorName, url, domain } =
    found.after === null ? deletedMentions(1) : buildMentionView(found.after);
  const without = found.after === null ? authorName : (domain ?? "a mention");
  return { ...row, text: title ?? (text || without), url, domain };
}

const NOBODY: Mention = {
  ...{ queryId: "", resourceId: "", publishedAt: null, addedAt: 0, updatedAt: 0 },
  ...{ title: null, text: null, url: null, domain: null, language: null, pageType: null },
  ...{ author: null, authorName: null, verified: null, followers: null, reach: null, impact: null },
  ...{ impressions: null, country: null, countryCode: null, sentiment: null },
  ...{ categories: [], tags: [], hashtags: [], reposts: null, repostOf: null },
};
