import { describeError } from "../lib/errors.ts";
import { eventAt, type Mention, type PageRows, type StoredMention } from "../model/mention.ts";
import { type StoryOfMention, storyOf } from "../model/story.ts";
import type { Rule } from "../rules/rule.ts";
import { type AssessedMention, createAssessor } from "./assess-mention.ts";
import type { SourcePage } from "./source-page.ts";

/** A page with everything that can be computed before its transaction. */
export interface PreparedPage {
  readonly page: SourcePage;
  readonly rows: PageRows;
  /** The assessments, by index in the page. */
  readonly stories: readonly StoryOfMention[];
  /** The rules that they were made with. */
  readonly rules: readonly Rule[];
  /** By index in the page. */
  readonly assessed: readonly AssessedMention[];
  /** Assesses the stored version of a mention by the same rules. */
  readonly assess: (mention: Mention) => AssessedMention;
}

/** Most of the work on a page needs no tables, so it is done while the page before is committed. */
export function preparePage(
  rules: readonly Rule[],
  rowsOf: (page: readonly StoredMention[]) => PageRows,
  page: SourcePage,
): PreparedPage {
  const assess = createAssessor(rules);
  const prepare = (storable: SourcePage): PreparedPage => ({
    page: storable,
    rules,
    ...rowsAndStories(rowsOf, storable.mentions),
    assessed: storable.mentions.map(assess),
    assess,
  });
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
