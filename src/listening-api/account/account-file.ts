import { describeIssues } from "../../lib/describe-issues.ts";
import { describeFault, type Fault, type Issue, UserError } from "../../lib/errors.ts";
import type { JsonValue } from "../../lib/json.ts";
import { byPlace, readYaml } from "../../lib/read-yaml.ts";
import { AccountContent, type Fields, KINDS, type Kind } from "./account-schema.ts";

/** A client, query, tag …: of a file or of the tables. */
export interface Thing {
  readonly kind: Kind;
  readonly name: string;
  readonly id?: number;
  /** Of a file: those that it names. Of the tables: all of them. */
  readonly fields: Fields;
  /** Where it is in the file. */
  readonly path?: Issue["path"];
  /** By kind. A section that a file does not have is missing here, and left alone. */
  readonly parts: Readonly<Partial<Record<Kind, readonly Thing[]>>>;
}

const MOST_SHOWN = 20;

export interface AccountFile {
  readonly account: Thing;
  /** Throws one `UserError` for issues, if there are any, each with its line and what was expected. */
  refuse(issues: readonly Issue[]): void;
}

/** Reads an account file. Throws one `UserError` with all faults. */
export function readAccountFile(file: string, text: string): AccountFile {
  const yaml = readYaml(file, text);
  const content = withNamesAsThings(yaml.content ?? {});
  const parsed = AccountContent.safeParse(content);
  const issues = parsed.success
    ? findRepeats(parsed.data)
    : describeIssues(parsed.error, AccountContent, content);
  const refuse = (faults: readonly Fault[]): void => {
    if (faults.length === 0) return;
    const sorted = [...faults].sort(byPlace);
    const more =
      sorted.length > MOST_SHOWN
        ? [`… and ${(sorted.length - MOST_SHOWN).toLocaleString("en-US")} more`]
        : [];
    throw new UserError(`${file} is not a valid account file.`, [
      ...sorted.slice(0, MOST_SHOWN).map(describeFault),
      ...more,
    ]);
  };
  refuse(yaml.faults);
  refuse(issues.map(yaml.locate));
  return {
    account: toThing("account", parsed.data ?? {}, []),
    refuse: (found) => refuse(found.map(yaml.locate)),
  };
}

/** What is wrong with an account file, as `readAccountFile` would throw it; null if nothing is. */
export function faultsOfAccount(given: {
  readonly file: string;
  readonly text: string;
}): Pick<UserError, "message" | "details"> | null {
  try {
    readAccountFile(given.file, given.text);
    return null;
  } catch (error) {
    if (error instanceof UserError) return { message: error.message, details: error.details };
    throw error;
  }
}

/** A tag or subcategory without rules may be its name alone. The paths of issues stay the same. */
function withNamesAsThings(content: unknown): unknown {
  return mapIn(content, "clients", (client) =>
    mapIn(client, "projects", (project) =>
      mapIn(mapIn(project, "tags", named), "categories", (category) => mapIn(category, "children", named)),
    ),
  );
}

function named(given: unknown): unknown {
  return typeof given === "string" ? { name: given } : given;
}

function mapIn(content: unknown, section: string, map: (one: unknown) => unknown): unknown {
  if (typeof content !== "object" || content === null) return content;
  const given: unknown = Reflect.get(content, section);
  return Array.isArray(given) ? { ...content, [section]: given.map(map) } : content;
}

function toThing(kind: Kind, content: object, path: Issue["path"]): Thing {
  const { name, username, id, ...rest } = content as Record<string, JsonValue | undefined>;
  const sections = new Map(KINDS[kind].parts.map((part) => [KINDS[part].section, part]));
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    kind,
    name: String(username ?? name ?? ""),
    ...(typeof id === "number" ? { id } : {}),
    path,
    fields: Object.fromEntries(entries.filter(([key]) => !sections.has(key))) as Fields,
    parts: Object.fromEntries(
      entries.flatMap(([key, value]) => {
        const part = sections.get(key);
        if (part === undefined) return [];
        return [[part, (value as object[]).map((one, index) => toThing(part, one, [...path, key, index]))]];
      }),
    ),
  };
}

/** Two things of one section may not have the same name, unless each has an id (lists may repeat a name). */
function findRepeats(content: object, path: Issue["path"] = []): Issue[] {
  return Object.entries(content).flatMap(([section, things]) => {
    if (!Array.isArray(things)) return [];
    const seen = new Set<string>();
    return things.flatMap((thing: unknown, index): Issue[] => {
      if (typeof thing !== "object" || thing === null) return [];
      const { name, username, id } = thing as { name?: string; username?: string; id?: number };
      if (name === undefined && username === undefined) return [];
      const field = username === undefined ? "name" : "username";
      const keys = [
        ...(id === undefined ? [] : [{ key: `id ${id}`, field: "id" }]),
        ...(id !== undefined && section.endsWith("Lists")
          ? []
          : [{ key: `${field} ${JSON.stringify(username?.toLowerCase() ?? name)}`, field }]),
      ];
      const repeated = keys.filter(({ key }) => seen.has(key));
      for (const { key } of keys) seen.add(key);
      return [
        ...repeated.map(({ key, field: last }) => ({
          path: [...path, section, index, last],
          message: `${section} has the ${key} twice`,
        })),
        ...findRepeats(thing, [...path, section, index]),
      ];
    });
  });
}
