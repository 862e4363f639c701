import { schema } from "./migrations/001-schema.ts";
import { feeds } from "./migrations/002-feeds.ts";
import { enrichment } from "./migrations/012-enrichment.ts";
import { recheck } from "./migrations/020-recheck.ts";
import { streams } from "./migrations/030-streams.ts";
import { forgetRequests } from "./migrations/040-forget-requests.ts";
import { feedAdded } from "./migrations/050-feed-added.ts";
import { feedReadings } from "./migrations/060-feed-readings.ts";
import { writtenAt } from "./migrations/070-written-at.ts";
import { projectRules } from "./migrations/080-project-rules.ts";
import { deletedLeave } from "./migrations/085-deleted-leave.ts";
import { loginLimits } from "./migrations/086-login-limits.ts";
import type { Migration } from "./migrations/migration.ts";

/** The schema, in the order in which it grew. What was published is never edited: a change is a migration of its own. */
export const MIGRATIONS: readonly Migration[] = [
  schema,
  feeds,
  enrichment,
  recheck,
  streams,
  forgetRequests,
  feedAdded,
  feedReadings,
  writtenAt,
  projectRules,
  deletedLeave,
  loginLimits,
];
