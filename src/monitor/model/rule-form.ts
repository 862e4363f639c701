import { z } from "zod";

/** What a rule looks at: single mentions, or counts of one of three kinds. */
const RULE_FORM_COUNTS = ["mentions", "volume", "spike", "share"] as const;

const Text = z.string().trim().max(2_000).catch("");
/** One checked box arrives as a text, several as a list. */
const Choices = z.preprocess(
  (value) => (typeof value === "string" ? [value] : (value ?? [])),
  z.array(z.string().max(100)).max(20).catch([]),
);

/**
 * A rule as the fields of a form, all of them text as typed. Lists have commas between their words. A wrong value is
 * kept: it goes into the rule, and the check of the rule says what is wrong with it.
 */
export const RuleForm = z.object({
  title: Text,
  description: Text,
  queries: Text,
  sentiment: Choices,
  keyword: Text,
  author: Text,
  followers: Text,
  verified: z.enum(["", "yes", "no"]).catch(""),
  category: Text,
  tag: Text,
  language: Text,
  country: Text,
  pageType: Text,
  counts: z.enum(RULE_FORM_COUNTS).catch("mentions"),
  /** A number; of a share, a percentage such as `40%`. */
  atLeast: Text,
  /** Of a volume or a share. */
  within: Text,
  unit: z.enum(["mentions", "authors", "stories"]).catch("mentions"),
  /** The measured part of a share. */
  of: Choices,
  among: Text,
  aboveUsual: Text,
  severity: z.enum(["info", "warning", "critical"]).catch("warning"),
  /** What has to be reached for a higher severity: a number of mentions, or a share. */
  warningFrom: Text,
  criticalFrom: Text,
  /** The time in which the number of critical is counted, of volume and spike. */
  criticalWithin: Text,
  groupBy: Text,
  for: Text,
  over: Text,
});
export type RuleForm = z.output<typeof RuleForm>;
