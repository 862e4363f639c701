import { describeError } from "../../lib/errors.ts";
import { eventAt, type Mention, type PageRows, type StoredMention } from "../model/mention.ts";
import { type StoryOfMention, storyOf } from "../model/story.ts";
import type { Rule } from "../rules/rule.ts";
import { type AssessedMention, createAssessor } from "./assess-mention.ts";
import type { MentionToForget } from "./forget-mentions.ts";
import type { SourcePage } from "./source-page.ts";

/** A page with everything that can be computed before its transaction. */
export interface PreparedPage {
  readonly page: SourcePage;
  /** Mentions that the source says were deleted. Everything below is about the others. */
  readonly deleted: readonly MentionToForget[];
  readonly rows: PageRows;
  /** By index in the page. */
  readonly stories: readonly StoryOfMention[];
  readonly rules: readonly Rule[];
  /** What these rules found, by index in the page. */
  readonly assessed: readonly AssessedMention[];
  /** Assesses the stored version of a mention by the same rules. */
  readonly assess: (mention: Mention) => AssessedMention;
  /** The same page without these mentions, which are not to be stored. */
  readonly without: (refused: ReadonlySet<string>) => PreparedPage;
}

/** Most of the work on a page needs no tables, so it is done while the page before is committed. */
export function preparePage(
  rules: readonly Rule[],
  rowsOf: (page: readonly StoredMention[]) => PageRows,
  page: SourcePage,
): PreparedPage {
  const assess = createAssessor(rules);
  const prepare = (storable: SourcePage): PreparedPage => {
    const deleted = storable.mentions.filter(({ isDeleted }) => isDeleted === true);
    const gone = new Set(deleted.map(({ resourceId }) => resourceId));
    // An older version may stand in the same page.
    const mentions =
      gone.size === 0
        ? storable.mentions
        : storable.mentions.filter(({ resourceId }) => !gone.has(resourceId));
    return {
      page: storable,
      deleted: deleted.map((mention) => ({ resourceId: mention.resourceId, eventAt: eventAt(mention) })),
      rules,
      ...rowsAndStories(rowsOf, mentions),
      assessed: mentions.map(assess),
      assess,
      without: (refused) =>
        prepare({
          ...storable,
          mentions: storable.mentions.filter(({ resourceId }) => !refused.has(resourceId)),
          rejected: storable.rejected.filter(
            ({ resourceId }) => resourceId === null || !refused.has(resourceId),
          ),
        }),
    };
  };
  try {
    return prepare(page);
  } catch {
    return prepare(withoutPoison(page, prepare));
  }
}

function rowsAndStories(
  rowsOf: (page: readonly StoredMention[]) => PageRows,
  mentions: readonly Mention[],
): Pick<PreparedPage, "rows" | "stories"> {
  const stories = mentions.map(storyOf);
  const stored = mentions.map((mention, place) => ({
    mention,
    eventAt: eventAt(mention),
    story: stories[place]?.key ?? "",
  }));
  return { rows: rowsOf(stored), stories };
}

/** A mention that makes a rule or our own code throw becomes a dead letter: it would throw every time. */
function withoutPoison(page: SourcePage, prepare: (page: SourcePage) => unknown): SourcePage {
  const mentions: Mention[] = [];
  const rejected = [...page.rejected];
  for (const mention of page.mentions) {
    try {
      prepare({ ...page, mentions: [mention], rejected: [] });
      mentions.push(mention);
    } catch (error) {
      const reason = `it could not be judged: ${describeError(error).slice(0, 200)}`;
      rejected.push({ resourceId: mention.resourceId, reason, mention });
    }
  }
  return { ...page, mentions, rejected };
}
