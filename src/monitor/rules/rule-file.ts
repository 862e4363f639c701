import { z } from "zod";
import { durationBetween } from "../../lib/duration.ts";
import { DAY, SECOND } from "../../lib/instant.ts";
import { Severity } from "../model/severity.ts";
import { windowConditions } from "./conditions.ts";
import { GROUP_KEYS } from "./group-key.ts";
import { listOf, Word } from "./params.ts";
import { CATCH_UPS } from "./rule.ts";

/** Conditions have their own definitions, which are read separately. */
const Counted = Object.fromEntries(windowConditions.map(({ type }) => [type, z.unknown().optional()]));

/** A rule as written, without its conditions. */
export const RuleFile = z.strictObject({
  name: Word.exactOptional().describe("May repeat the name of the file, without .yaml. Nothing else."),
  title: Word.refine((text) => text.length <= 80, "a title has 80 characters at most")
    .exactOptional()
    .meta({
      maxLength: 80,
      description:
        "What messages call the alert, at most 80 characters, such as: Wave of negative mentions. Default: the name of the file in words.",
    }),
  description: Word.describe("What somebody who gets the alert should know, in a sentence."),
  queries: listOf(Word)
    .exactOptional()
    .describe("Names of queries, where * and ? are wildcards, or ids. Default: all queries. Example: Acme*"),
  severity: Severity.describe(
    "info (read it today), warning (look now), critical (wake somebody), or steps. Example: { warning: always, critical: { atLeast: 200 } }",
  ),
  when: z
    .unknown()
    .optional()
    .describe(
      "The mentions that the rule is about; of a rule that counts, the mentions that are counted. Everything named must match. Example: { sentiment: negative }",
    ),
  ...Counted,
  groupBy: listOf(z.enum(GROUP_KEYS))
    .exactOptional()
    .describe(
      "Mentions with the same values are one alert, such as author or story. The query is always part of it. A rule that counts: the query only.",
    ),
  for: durationBetween(0, 7 * DAY)
    .exactOptional()
    .describe("How long a count must stay so before anybody is notified, such as 10m. Default: at once."),
  over: z
    .strictObject({
      after: durationBetween(SECOND, 90 * DAY).describe(
        "Quiet time, such as 6h, after which the alert is resolved.",
      ),
    })
    .exactOptional()
    .describe(
      "When an alert is resolved. Default: after 6h for mentions and new, 30m for volume, share and absence. Example: { after: 12h }",
    ),
  reopenWithin: durationBetween(0, 90 * DAY)
    .exactOptional()
    .describe(
      "An alert that returns this soon after its end is the same alert, firing again. Default: never.",
    ),
  incident: Word.refine((text) => text.length <= 80, "a name has 80 characters at most")
    .exactOptional()
    .meta({
      maxLength: 80,
      description:
        "Whether its alerts belong to incidents: never keeps them apart, and a name of your own lets them join only alerts of rules with the same name. Default: they join what shares stories, authors or words. Example: never",
    }),
  catchUp: z
    .enum(CATCH_UPS)
    .exactOptional()
    .describe(
      "After an hour or more without polls, newest-first reads from the present backwards, so that new mentions alert before missed ones. Default: in-order.",
    ),
  labels: z
    .record(z.string(), Word)
    .exactOptional()
    .meta({
      description: "Your own words on every alert, for the routes in earshot.yaml. Example: { team: press }",
      propertyNames: { not: { enum: GROUP_KEYS } },
    }),
});
export type RuleFile = z.output<typeof RuleFile>;
