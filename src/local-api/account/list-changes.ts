import { toIso } from "../../lib/instant.ts";
import { listChanges } from "../store/changes.ts";
import type { Database } from "../store/database.ts";

const MAX_CHANGES = 1_000;

/** What calls and `earshot local-api apply` wrote in a project, the latest first. */
export async function changeRows(db: Database, projectId: number) {
  const changes = await listChanges(db, projectId, MAX_CHANGES);
  return changes.map(({ id, at, username, action, kind, thingId, before, after }) => ({
    id,
    at: toIso(at),
    user: username,
    action,
    kind,
    name: nameOf(after) ?? nameOf(before) ?? thingId,
    changed: changedFields(before, after),
  }));
}

function nameOf(record: object | null): string | undefined {
  const name: unknown = record === null ? undefined : Reflect.get(record, "name");
  return typeof name === "string" ? name : undefined;
}

function changedFields(before: object | null, after: object | null): readonly string[] {
  if (before === null || after === null) return [];
  const old = new Map(Object.entries(before));
  return Object.entries(after).flatMap(([name, value]) =>
    JSON.stringify(old.get(name)) === JSON.stringify(value) ? [] : [name],
  );
}
