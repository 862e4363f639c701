import { accounts } from "./migrations/001-accounts.ts";
import { projects } from "./migrations/002-projects.ts";
import { mentions } from "./migrations/003-mentions.ts";
import { streamHours } from "./migrations/004-stream-hours.ts";
import { mentionRows } from "./migrations/010-mention-rows.ts";
import { folding } from "./migrations/011-folding.ts";
import { record } from "./migrations/020-record.ts";
import { access } from "./migrations/030-access.ts";
import { labels } from "./migrations/031-labels.ts";
import { savedLists } from "./migrations/032-saved-lists.ts";
import { faults } from "./migrations/050-faults.ts";
import { queryText } from "./migrations/060-query-text.ts";
import { writing } from "./migrations/070-writing.ts";
import { mentionWords } from "./migrations/071-mention-words.ts";
import { importProgress } from "./migrations/072-import-progress.ts";
import type { Migration } from "./migrations/migration.ts";

/** The schema, in the order in which it grew. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  projects,
  mentions,
  streamHours,
  mentionRows,
  folding,
  record,
  access,
  labels,
  savedLists,
  faults,
  queryText,
  writing,
  mentionWords,
  importProgress,
];
