import { isDeepStrictEqual } from "node:util";
import { Document, isMap, isScalar, isSeq, Scalar, visit } from "yaml";
import { toIso } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import { counted } from "../../lib/numbers.ts";
import { escapeActing } from "../../lib/text.ts";
import { KEEP_MENTIONS_FOR } from "../operate/keep-mentions.ts";
import { listClients, listUsers } from "../store/account-lists.ts";
import type { Database } from "../store/database.ts";
import { listDateRanges, type StoredDateRange } from "../store/date-ranges.ts";
import { listCategories, listTags } from "../store/labels.ts";
import { listProjects, type StoredProject } from "../store/projects.ts";
import { listQueries, type StoredQuery } from "../store/queries.ts";
import { listQueryGroups } from "../store/query-groups.ts";
import { listRules } from "../store/rules.ts";
import { LIST_KINDS, listClientLists, type StoredList } from "../store/saved-lists.ts";
import { readSetting } from "../store/settings.ts";
import { listSignalGroups } from "../store/signal-groups.ts";
import type { Thing } from "./account-file.ts";
import { type Fields, KINDS, type Kind } from "./account-schema.ts";
import { ruleFields, signalFields } from "./rule-fields.ts";

/** A thing that the tables have. */
export interface StoredThing extends Thing {
  readonly id: number;
  readonly parts: Readonly<Partial<Record<Kind, readonly StoredThing[]>>>;
}

/** The setting that keeps the moment from which mentions are kept. */
export const KEEP_MENTIONS_FROM = "keep-mentions-from";

/** Everything in these tables, in the form of an account file with all its fields. Passwords are left out. */
export async function readStoredAccount(db: Database): Promise<StoredThing> {
  const clients: StoredThing[] = [];
  for (const { id, name, tags, details } of await listClients(db)) {
    const projects = await listProjects(db, id);
    const parts: Partial<Record<Kind, readonly StoredThing[]>> = { project: await things(db, projects) };
    for (const kind of LIST_KINDS)
      parts[`${kind} list`] = (await listClientLists(db, kind, id)).map((list) =>
        thing(`${kind} list`, list, listFields(list, LIST_FIELDS[kind], projects)),
      );
    clients.push(thing("client", { id, name }, { ...withRateLimit(tags), details }, parts));
  }
  const users = (await listUsers(db)).map(
    ({ id, name, firstName, lastName, tokenLifetimeSeconds, rateLimit, memberships }) =>
      thing(
        "user",
        { id, name },
        {
          firstName,
          lastName,
          tokenLifetime: tokenLifetimeSeconds === null ? null : `${tokenLifetimeSeconds}s`,
          rateLimit,
          clients: Object.fromEntries(memberships.map(({ client, role }) => [client, role])),
        },
      ),
  );
  const keepMentionsFrom = ((await readSetting(db, KEEP_MENTIONS_FROM)) ?? null) as JsonValue;
  const keepMentionsFor = ((await readSetting(db, KEEP_MENTIONS_FOR)) ?? null) as JsonValue;
  const kept = { keepMentionsFrom, keepMentionsFor };
  return thing("account", { id: 0, name: "" }, kept, { client: clients, user: users });
}

/** The field of a list's entries, as the API calls it. */
export const LIST_FIELDS = { site: "domains", author: "authors", location: "locations" } as const;

function thing(
  kind: Kind,
  { id, name }: { id: number; name: string },
  fields: Fields,
  parts: StoredThing["parts"] = {},
): StoredThing {
  return { kind, id, name, fields, parts };
}

async function things(db: Database, projects: readonly StoredProject[]): Promise<StoredThing[]> {
  const found: StoredThing[] = [];
  for (const project of projects) {
    const { timezone, description, defaultLanguage: language, dataPolicy } = project;
    const groups = await listQueryGroups(db, project.id);
    const categories = await listCategories(db, project.id);
    const tags = await listTags(db, project.id);
    const queries = await listQueries(db, project.id);
    const ranges = await listDateRanges(db, { projectId: project.id });
    const known = { queries, tags, categories };
    found.push(
      thing(
        "project",
        project,
        { timezone, description, language, dataPolicy },
        {
          query: queries.map((query) => thing("query", query, queryFields(query, ranges))),
          "query group": groups.map((group) => {
            const isOwn = group.sharedProjectIds.length === 1 && group.sharedProjectIds[0] === project.id;
            return thing("query group", group, {
              queries: group.queries.map(({ name }) => name),
              shared: group.shared,
              owner: group.user?.username ?? null,
              projects: isOwn ? null : namesOf(projects, group.sharedProjectIds),
            });
          }),
          category: categories.map((category) =>
            thing(
              "category",
              category,
              { multiple: category.multiple },
              {
                subcategory: category.children.map((child) =>
                  thing("subcategory", child, { rules: [...child.rules] }),
                ),
              },
            ),
          ),
          tag: tags.map((tag) => thing("tag", tag, { rules: [...tag.rules] })),
          rule: (await listRules(db, project.id)).map((rule) => thing("rule", rule, ruleFields(rule, known))),
          "signal group": (await listSignalGroups(db, project.id)).map((group) =>
            thing("signal group", group, signalFields(group, known)),
          ),
        },
      ),
    );
  }
  return found;
}

function queryFields(query: StoredQuery, ranges: readonly StoredDateRange[]): Fields {
  const { type, text, samplePercentage: sample, description, languages, contentSources, startDate } = query;
  const { includedLocations, excludedLocations } = query;
  const isAnywhere = includedLocations.length === 0 && excludedLocations.length === 0;
  return {
    ...{ type, text, sample, description, languages, contentSources },
    startDate: startDate === null ? null : toIso(startDate),
    locationFilter: isAnywhere ? null : { includedLocations, excludedLocations },
    dateRanges: ranges
      .filter(({ queryId }) => queryId === query.id)
      .map(({ name, from, to }) => ({ name, startDate: toIso(from), endDate: toIso(to) })),
  };
}

function listFields(list: StoredList, field: string, projects: readonly StoredProject[]): Fields {
  const { shared, userName: owner, entries, sharedProjectIds } = list;
  return { shared, owner, projects: namesOf(projects, sharedProjectIds), [field]: entries };
}

function namesOf(projects: readonly StoredProject[], ids: readonly number[]): string[] {
  return projects.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
}

const LIMIT = "ratelimit.limit";
const PERIOD = "ratelimit.period";

/** The two tags that limit calls are one field of the file. */
function withRateLimit(tags: Readonly<Record<string, string>>): { rateLimit: string | null; tags: Fields } {
  const { [LIMIT]: limit, [PERIOD]: period, ...others } = tags;
  const isLimit = /^[1-9]\d{0,8}$/.test(limit ?? "") && /^[1-9]\d{0,5}$/.test(period ?? "");
  return isLimit ? { rateLimit: `${limit}/${period}`, tags: others } : { rateLimit: null, tags };
}

export function tagsOf(
  rateLimit: string | null,
  tags: Readonly<Record<string, string>>,
): Record<string, string> {
  const [limit, period] = rateLimit?.split("/") ?? [];
  return limit === undefined || period === undefined
    ? { ...tags }
    : { ...tags, [LIMIT]: limit, [PERIOD]: period };
}

interface Content {
  [key: string]: JsonValue | Content[];
}

/**
 * The account as a YAML file that `apply` accepts and finds nothing to change in. Ids, and the mentions of queries, are
 * comments. Fields with their usual value are left out.
 */
export function accountYaml(account: StoredThing, mentions: ReadonlyMap<number, number>): string {
  const document = new Document(contentOf(account, false));
  comment(document.contents, account, mentions);
  visit(document, {
    // Plain text could end its line, or act on a terminal.
    Scalar: (_, node) => {
      if (typeof node.value === "string" && /[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u.test(node.value))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeActing(document.toString({ lineWidth: 0 }));
}

/** The same for programs: each thing with its id. `apply` accepts it for the same tables. */
export function accountJson(account: StoredThing): object {
  return contentOf(account, true);
}

function contentOf(thing: StoredThing, withIds: boolean): Content {
  const { kind, name, id, fields, parts } = thing;
  const { defaults, parts: kinds } = KINDS[kind];
  const content: Content = {};
  if (kind !== "account") content[kind === "user" ? "username" : "name"] = name;
  if (withIds && kind !== "account") content["id"] = id;
  for (const [field, value] of Object.entries(fields))
    if (!isDeepStrictEqual(value, defaults[field]) && !(field === "owner" && value === null))
      content[field] = value;
  for (const part of kinds) {
    const things = parts[part] ?? [];
    if (things.length === 0) continue;
    const names = things.map((one) => one.name);
    content[KINDS[part].section] = things.map((one) =>
      contentOf(one, withIds || names.indexOf(one.name) !== names.lastIndexOf(one.name)),
    );
  }
  return content;
}

/** Behind the name of each thing. */
function comment(node: unknown, thing: StoredThing, mentions: ReadonlyMap<number, number>): void {
  if (!isMap(node)) return;
  const [first] = node.items;
  if (thing.kind !== "account" && isScalar(first?.value)) {
    const volume = thing.kind === "query" ? `, ${counted(mentions.get(thing.id) ?? 0, "mention")}` : "";
    first.value.comment = ` id ${thing.id}${volume}`;
  }
  for (const kind of KINDS[thing.kind].parts) {
    const section = node.get(KINDS[kind].section);
    if (!isSeq(section)) continue;
    for (const [index, part] of (thing.parts[kind] ?? []).entries())
      comment(section.items[index], part, mentions);
  }
}
