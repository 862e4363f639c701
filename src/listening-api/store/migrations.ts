import { schema } from "./migrations/001-schema.ts";
import type { Migration } from "./migrations/migration.ts";

/** The schema, in the order in which it grew. What was published is never edited: a change is a migration of its own. */
export const MIGRATIONS: readonly Migration[] = [schema];
