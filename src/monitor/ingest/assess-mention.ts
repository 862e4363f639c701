import type { Mention } from "../model/mention.ts";
import type { MentionRule, Rule } from "../rules/rule.ts";
import type { Series } from "../rules/window-condition.ts";

/** What the rules find in one mention alone, without any stored fact. */
export interface AssessedMention {
  readonly mention: Mention;
  /** Keys of the series that count it as a mention. */
  readonly series: readonly string[];
  /** Series that count its author, once for all mentions of that author. */
  readonly distinctAuthors: readonly MentionAuthor[];
  readonly met: readonly MetRule[];
}

interface MentionAuthor {
  readonly series: string;
  readonly speaker: string;
  /** The author is the story of the mention. */
  readonly isStory: boolean;
}

interface MetRule {
  readonly rule: MentionRule;
  readonly because: string;
}

/** Assesses mentions by these rules. Pure, so it may run long before the mention is committed. */
export function createAssessor(rules: readonly Rule[]): (mention: Mention) => AssessedMention {
  const series = seriesOf(rules);
  const mentionRules = rules.filter((rule) => rule.kind === "mention");
  return (mention) => {
    const met: MetRule[] = [];
    for (const rule of mentionRules) {
      const verdict = rule.judge(mention);
      if (verdict.met) met.push({ rule, because: verdict.because });
    }
    return { mention, ...countedBy(series, mention), met };
  };
}

/** The same mention as a part of another text's story. */
export function storyOfMention(assessed: AssessedMention, story: string | undefined): AssessedMention {
  if (story === undefined || !assessed.distinctAuthors.some(({ isStory }) => isStory)) return assessed;
  return { ...assessed, distinctAuthors: assessed.distinctAuthors.map((author) => withStory(author, story)) };
}

function withStory(author: MentionAuthor, story: string): MentionAuthor {
  return author.isStory ? { ...author, speaker: story } : author;
}

/** Which of these series count it, and how. `story`: the story that it was found to belong to, if known. */
export function countedBy(
  series: readonly Series[],
  mention: Mention,
  story?: string,
): Pick<AssessedMention, "series" | "distinctAuthors"> {
  // Loops, not chains: this runs for every mention and every slice.
  const keys: string[] = [];
  const distinctAuthors: MentionAuthor[] = [];
  for (const one of series) {
    if (!one.counts(mention)) continue;
    const { key, author, countsStories = false } = one;
    if (author === undefined) keys.push(key);
    else {
      const speaker = countsStories && story !== undefined ? story : author(mention);
      distinctAuthors.push({ series: key, speaker, isStory: countsStories });
    }
  }
  return { series: keys, distinctAuthors };
}

/** The series of the window rules, each once. */
export function seriesOf(rules: readonly Rule[]): readonly Series[] {
  const series = rules.flatMap((rule) => (rule.kind === "window" ? rule.window.series : []));
  return [...new Map(series.map((one) => [one.key, one])).values()];
}
