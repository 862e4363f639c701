import { absence } from "./conditions/absence.ts";
import { author } from "./conditions/author.ts";
import { category } from "./conditions/category.ts";
import { country } from "./conditions/country.ts";
import { followers } from "./conditions/followers.ts";
import { impact } from "./conditions/impact.ts";
import { keyword } from "./conditions/keyword.ts";
import { language } from "./conditions/language.ts";
import { newValue } from "./conditions/new.ts";
import { pageType } from "./conditions/page-type.ts";
import { pattern } from "./conditions/pattern.ts";
import { reach } from "./conditions/reach.ts";
import { relevance } from "./conditions/relevance.ts";
import { sentiment } from "./conditions/sentiment.ts";
import { share } from "./conditions/share.ts";
import { spike } from "./conditions/spike.ts";
import { tag } from "./conditions/tag.ts";
import { trend } from "./conditions/trend.ts";
import { verified } from "./conditions/verified.ts";
import { volume } from "./conditions/volume.ts";
import type { MentionCondition } from "./define-condition.ts";
import type { WindowConditionType } from "./define-window-condition.ts";

/** The conditions allowed in `when`. */
export const mentionConditions: readonly MentionCondition[] = [
  sentiment,
  category,
  keyword,
  pattern,
  author,
  verified,
  followers,
  reach,
  impact,
  language,
  country,
  pageType,
  tag,
  relevance,
];

/** The conditions that count over time; a rule has at most one. */
export const windowConditions: readonly WindowConditionType[] = [
  volume,
  share,
  spike,
  absence,
  trend,
  newValue,
];
