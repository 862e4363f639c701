import { z } from "zod";
import { durationBetween } from "../lib/duration.ts";
import { DAY, SECOND } from "../lib/instant.ts";
import { Severity } from "../model/severity.ts";
import { GROUP_KEYS } from "./group-key.ts";
import { listOf, Word } from "./params.ts";
import { CATCH_UPS } from "./rule.ts";

/** A rule as written, without its conditions, which have their own definitions. */
export const RuleFile = z.strictObject({
  name: Word.exactOptional(),
  title: Word.refine((text) => text.length <= 80, "a title has 80 characters at most").exactOptional(),
  description: Word,
  queries: listOf(Word).exactOptional(),
  /** The initial severity of an alert; its steps are read separately. */
  severity: Severity,
  when: z.unknown().optional(),
  volume: z.unknown().optional(),
  share: z.unknown().optional(),
  spike: z.unknown().optional(),
  absence: z.unknown().optional(),
  trend: z.unknown().optional(),
  new: z.unknown().optional(),
  groupBy: listOf(z.enum(GROUP_KEYS)).exactOptional(),
  for: durationBetween(0, 7 * DAY).exactOptional(),
  over: z.strictObject({ after: durationBetween(SECOND, 90 * DAY) }).exactOptional(),
  reopenWithin: durationBetween(0, 90 * DAY).exactOptional(),
  catchUp: z.enum(CATCH_UPS).exactOptional(),
  labels: z.record(z.string(), Word).exactOptional(),
});
export type RuleFile = z.output<typeof RuleFile>;
