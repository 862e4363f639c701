import type { Issue } from "../../lib/errors.ts";
import { toIso } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import { parseMoment } from "../parameters/parse-moment.ts";
import type { Thing } from "./account-file.ts";
import { type Fields, KINDS, type Kind } from "./account-schema.ts";
import type { StoredThing } from "./stored-account.ts";

/**
 * The account of a file, where plain dates of queries are the moments at which these days begin in their project, as in
 * the calls. A project of which the file says no time zone has the stored one. Date ranges that end before they begin are
 * added to `issues`.
 */
export function withLocalDays(account: Thing, stored: StoredThing, issues: Issue[]): Thing {
  return withParts(account, "client", (client) => {
    const known = storedOf(client, stored);
    return withParts(client, "project", (project) => {
      const fields = { ...storedOf(project, known)?.fields, ...project.fields };
      const zone = String(fields["timezone"] ?? KINDS.project.defaults["timezone"]);
      return withParts(project, "query", (query) => withMoments(query, zone, issues));
    });
  });
}

function withParts(thing: Thing, kind: Kind, change: (part: Thing) => Thing): Thing {
  const parts = thing.parts[kind];
  return parts === undefined ? thing : { ...thing, parts: { ...thing.parts, [kind]: parts.map(change) } };
}

function storedOf({ kind, id, name }: Thing, owner: StoredThing | undefined): StoredThing | undefined {
  return owner?.parts[kind]?.find((one) => (id === undefined ? one.name === name : one.id === id));
}

function withMoments(query: Thing, zone: string, issues: Issue[]): Thing {
  const { startDate, dateRanges } = query.fields;
  const fields: Record<string, JsonValue> = { ...query.fields };
  if (typeof startDate === "string") fields["startDate"] = momentOf(startDate, zone);
  if (Array.isArray(dateRanges))
    fields["dateRanges"] = (dateRanges as readonly Fields[]).map((range, index) => {
      const [from, to] = [range["startDate"], range["endDate"]].map((text) => momentOf(String(text), zone));
      if (from === undefined || to === undefined) return range;
      if (from >= to)
        issues.push({
          path: [...(query.path ?? []), "dateRanges", index, "endDate"],
          message: "expected a moment after startDate",
        });
      return { ...range, startDate: from, endDate: to };
    });
  return { ...query, fields };
}

function momentOf(text: string, zone: string): string {
  const at = parseMoment(text, zone);
  return typeof at === "number" ? toIso(at) : text;
}
