import { z } from "zod";
import { describeIssues } from "../../../lib/describe-issues.ts";
import { Duration, durationBetween, formatMinutes } from "../../../lib/duration.ts";
import { DAY, HOUR, MINUTE } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { formatNumber } from "../../../lib/numbers.ts";
import { foldText } from "../../../lib/text.ts";
import type { Mention } from "../../model/mention.ts";
import type { WindowConditionType } from "../define-window-condition.ts";
import { authorOf } from "../slice.ts";

const Params = z
  .strictObject({
    what: z.enum(["hashtag", "domain", "author"]).describe("What is new."),
    atLeast: z
      .int()
      .min(2)
      .describe("So many different authors have to use it; of a new author, so many mentions. 2 or more."),
    within: durationBetween(5 * MINUTE, 7 * DAY)
      .prefault("24h")
      .describe("How long a value is new after its first mention."),
    learn: Duration.refine((ms) => ms >= HOUR, "expected 1h or more")
      .prefault("3d")
      .describe("How long it only learns, because at first everything is new. 1h or more."),
  })
  .describe(
    "A hashtag, domain or author that was never seen before is already large. Example: { what: hashtag, atLeast: 20 }",
  );

/**
 * `new: {what: hashtag, atLeast: 20}`: a hashtag, domain or author that is new to this query has 20 distinct authors (a
 * new author: 20 mentions) within a day of its first mention. Does not fire while it warms up.
 */
export const newValue: WindowConditionType = {
  type: "new",
  overAfterMs: 6 * HOUR,
  params: Params,
  firesOnce: true,
  compile: (params, slice) => {
    const parsed = Params.safeParse(params);
    if (!parsed.success) return { issues: describeIssues(parsed.error, Params, params) };
    const { what, atLeast, within, learn } = parsed.data;
    const { counts, key } = slice.series;
    return {
      novelty: {
        key: stableHash({ type: "new", version: 1, what, within, atLeast, series: key }),
        facet: what,
        subject: slice.subject,
        atLeast,
        withinMs: within,
        learnMs: learn,
        counts,
        values: (mention) => distinct(READ[what](mention)),
        author: what === "author" ? (mention) => mention.resourceId : authorOf,
        because: (authors, forMs, knownMs) =>
          `${what === "author" ? "an" : "a"} ${what} never seen here before: ${formatNumber(authors)} ${what === "author" ? "mentions" : "authors"} in ` +
          `${formatMinutes(Math.max(5 * MINUTE, forMs))}. None in the ${formatKnown(knownMs)} before.`,
      },
    };
  },
};

/** In whole days, or hours if it is short; rounded down, to claim no more than is known. */
function formatKnown(ms: number): string {
  const unit = ms < 2 * DAY ? HOUR : DAY;
  return formatMinutes(Math.floor(ms / unit) * unit);
}

const READ: Record<z.output<typeof Params>["what"], (mention: Mention) => readonly (string | null)[]> = {
  hashtag: ({ hashtags }) => hashtags.map((tag) => `#${tag.replace(/^[#\uff03]/, "")}`),
  domain: ({ domain }) => [domain],
  author: ({ author, authorName }) => [author ?? authorName],
};

/** As first written; case and accents make no difference. */
function distinct(values: readonly (string | null)[]): readonly string[] {
  const byFolded = new Map<string, string>();
  for (const value of values) {
    const folded = value === null ? "" : foldText(value);
    if (value !== null && folded !== "" && !byFolded.has(folded)) byFolded.set(folded, value);
  }
  return [...byFolded.values()];
}
