import type { Mention } from "../model/mention.ts";
import type { MentionRule, Rule } from "../rules/rule.ts";
import type { Series } from "../rules/window-condition.ts";

/** What rules make of one mention by itself, without any stored fact. */
export interface AssessedMention {
  readonly mention: Mention;
  /** Keys of the series that count it as a mention. */
  readonly series: readonly string[];
  /** Series that count whoever speaks in it, once however often it does. */
  readonly voices: readonly MentionAuthor[];
  readonly met: readonly MetRule[];
}

export interface MentionAuthor {
  readonly series: string;
  readonly speaker: string;
  /** The speaker is the story that the mention tells. */
  readonly isStory: boolean;
}

export interface MetRule {
  readonly rule: MentionRule;
  readonly because: string;
}

/** Assesses mentions by these rules. Pure, so it may be done long before the mention is committed. */
export function createAssessor(rules: readonly Rule[]): (mention: Mention) => AssessedMention {
  const series = seriesOf(rules);
  const mentionRules = rules.filter((rule) => rule.kind === "mention");
  return (mention) => ({
    mention,
    ...countedBy(series, mention),
    met: mentionRules.flatMap((rule) => {
      const verdict = rule.judge(mention);
      return verdict.met ? [{ rule, because: verdict.because }] : [];
    }),
  });
}

/** The same mention, found to tell the story of another text. */
export function storyOfMention(assessed: AssessedMention, story: string | undefined): AssessedMention {
  if (story === undefined || !assessed.voices.some(({ isStory }) => isStory)) return assessed;
  return { ...assessed, voices: assessed.voices.map((voice) => withStory(voice, story)) };
}

function withStory(voice: MentionAuthor, story: string): MentionAuthor {
  return voice.isStory ? { ...voice, speaker: story } : voice;
}

/** Which of these series count it, and how. `story` is the one that it was found to tell, where that is known. */
export function countedBy(
  series: readonly Series[],
  mention: Mention,
  story?: string,
): Pick<AssessedMention, "series" | "voices"> {
  const counting = series.filter((one) => one.counts(mention));
  return {
    series: counting.filter(({ voice }) => voice === undefined).map(({ key }) => key),
    voices: counting.flatMap(({ key, voice, countsStories = false }) =>
      voice === undefined
        ? []
        : [
            {
              series: key,
              speaker: countsStories && story !== undefined ? story : voice(mention),
              isStory: countsStories,
            },
          ],
    ),
  };
}

/** What the window rules count, each once. */
export function seriesOf(rules: readonly Rule[]): readonly Series[] {
  const series = rules.flatMap((rule) => (rule.kind === "window" ? rule.window.series : []));
  return [...new Map(series.map((one) => [one.key, one])).values()];
}
