import { isDeepStrictEqual } from "node:util";
import { isRecord, type JsonValue } from "../../lib/json.ts";
import { changeScope, readChangeSet } from "../edit/change-set.ts";
import { type BodyReader, createBodyReader, idOf, quote } from "../parameters/body-reader.ts";
import type { ChangeSet } from "../records/change-set.ts";
import { ruleRecord } from "../records/rule-record.ts";
import { listUsernames } from "../store/account-lists.ts";
import { listCategories, listTags } from "../store/labels.ts";
import { listQueries } from "../store/queries.ts";
import {
  deleteRule,
  insertRule,
  listRules,
  type RuleSettings,
  type StoredRule,
  updateRule,
} from "../store/rules.ts";
import { readLabelRules } from "./read-label-rules.ts";
import { defineResource, type ResourceScope } from "./resource.ts";

/** A rule with what its ids stand for. */
export interface ListedRule extends StoredRule {
  readonly project: { readonly id: number; readonly name: string };
  /** Those that it names. */
  readonly queries: readonly { readonly id: number; readonly name: string }[];
  readonly tagNames: ReadonlyMap<number, string>;
}

/** Each mention that enters is judged by all of them. */
const MAX_RULES = 5_000;
const MAX_QUERIES = 1_000;

/** What acts on mentions by itself. Rules of tags and categories stand at these. */
export const rules = defineResource<ListedRule, RuleSettings>({
  noun: "rule",
  path: "rules",
  isCounted: true,
  isUniqueByName: true,
  isSame: isDeepStrictEqual,
  createdStatus: 201,
  readSelection(parameters) {
    const isPausedShown = parameters.oneOf("getPaused", ["true", "false"]) !== "false";
    const enabled = parameters.oneOf("enabled", ["true", "false"]);
    const part = parameters.text("ruleContains")?.toLowerCase();
    const isReversed = parameters.oneOf("orderDirection", ["asc", "desc"]) === "desc";
    return (listed) => {
      const shown = listed.filter(
        (rule) =>
          (rule.enabled || isPausedShown) &&
          (enabled === undefined || String(rule.enabled) === enabled) &&
          (part === undefined ||
            String(rule.filter["search"] ?? "")
              .toLowerCase()
              .includes(part)),
      );
      return isReversed ? shown.toReversed() : shown;
    };
  },
  list: listedRules,
  record: ruleRecord,
  async read(body, scope, current) {
    const name = body.name(current?.name);
    const given = body.has("filter") ? body.body["filter"] : undefined;
    if (given !== undefined && !isRecord(given))
      body.fault(`filter: expected an object of filters, got ${quote(given)}.`);
    const { queryId, ...filter } = isRecord(given) ? given : { ...current?.filter };
    const queryIds = await readQueries(body, scope, {
      given: queryId ?? (body.has("queryIds") ? body.body["queryIds"] : undefined),
      isStated: isRecord(given) || body.has("queryIds"),
      current: current?.queryIds ?? null,
    });
    const scopeName = body.oneOf("scope", ["project", "query"]);
    if (scopeName === "query" && queryIds === null)
      body.fault("scope: a rule of the scope query names its queries in filter.queryId.");
    if (scopeName === "project" && queryIds !== null)
      body.fault("scope: a rule of the scope project has no filter.queryId.");
    const action = await readAction(body, scope, current);
    const isNew = current === undefined;
    if (isNew && (await listRules(scope.db, scope.project.id)).length >= MAX_RULES)
      body.fault(`name: the project has ${MAX_RULES} rules already, which is all it can have.`);
    const enabled = body.flag("enabled") ?? current?.enabled ?? true;
    body.accept(...UNCHANGEABLE);
    return { name, enabled, queryIds, filter: await readFilter(body, filter, scope), action };
  },
  settingsOf: ({ name, enabled, queryIds, filter, action }) => ({ name, enabled, queryIds, filter, action }),
  create: ({ db, project, caller, at }, settings) =>
    insertRule(db, project.id, settings, { username: caller.user.username, at }),
  update: ({ db, caller, at }, { id }, settings) =>
    updateRule(db, id, settings, { username: caller.user.username, at }),
  remove: ({ db }, { id }) => deleteRule(db, id),
});

/** Of the record, without effect. */
const UNCHANGEABLE = [
  ...["id", "projectId", "projectName", "queryName", "queries", "queryIds", "categoryId"],
  ...["creationDate", "lastUpdated", "creator", "modifier"],
];

export async function listedRules({ db, project }: ResourceScope): Promise<readonly ListedRule[]> {
  const stored = await listRules(db, project.id);
  if (stored.length === 0) return [];
  const queries = new Map((await listQueries(db, project.id)).map(({ id, name }) => [id, { id, name }]));
  const tagNames = new Map((await listTags(db, project.id)).map(({ id, name }) => [id, name]));
  return stored.map((rule) => ({
    ...rule,
    project: { id: project.id, name: project.name },
    queries: rule.queryIds?.flatMap((id) => queries.get(id) ?? []) ?? [],
    tagNames,
  }));
}

/** Null: the whole project. Older programs name the query. */
async function readQueries(
  body: BodyReader,
  { db, project }: ResourceScope,
  asked: { readonly given: unknown; readonly isStated: boolean; readonly current: readonly number[] | null },
): Promise<readonly number[] | null> {
  const known = await listQueries(db, project.id);
  const { queryName } = body.body;
  if (asked.given === undefined || asked.given === null) {
    if (!asked.isStated && asked.current !== null) return asked.current;
    if (typeof queryName !== "string") return null;
    const named = known.find(({ name }) => name === queryName);
    if (named === undefined) body.fault(`queryName: the project has no query ${quote(queryName)}.`);
    return named === undefined ? null : [named.id];
  }
  const given: readonly unknown[] = Array.isArray(asked.given) ? asked.given : [asked.given];
  if (given.length > MAX_QUERIES) body.fault(`filter.queryId: expected at most ${MAX_QUERIES} queries.`);
  const ids = given.slice(0, MAX_QUERIES).flatMap((one) => {
    const query = known.find(({ id }) => id === idOf(one));
    if (query === undefined) body.fault(`filter.queryId: ${quote(one)} is no query of this project.`);
    return query?.id ?? [];
  });
  // No ids, and none that is wrong: as if it were not there.
  return ids.length === 0 && given.length === 0 ? null : [...new Set(ids)].sort((a, b) => a - b);
}

async function readAction(
  body: BodyReader,
  { db, project, caller }: ResourceScope,
  current: ListedRule | undefined,
): Promise<ChangeSet> {
  const given = body.has("ruleAction") ? body.body["ruleAction"] : undefined;
  if (given === undefined && current !== undefined) return current.action;
  if (!isRecord(given)) {
    body.fault(
      'ruleAction: required, an object such as {"addTag": ["urgent"]} or {"sentiment": "negative"}.',
    );
    return {};
  }
  const labels = { categories: await listCategories(db, project.id), tags: await listTags(db, project.id) };
  const scope = changeScope(labels, await listUsernames(db, caller.client.id));
  const action = createBodyReader(withoutNulls(given), "refuse");
  const set = readChangeSet(action, scope);
  const faults = action.faults("a rule action");
  for (const fault of faults) body.fault(`ruleAction.${fault}`);
  if (Object.keys(set).length === 0 && faults.length === 0)
    body.fault("ruleAction: expected something to do, such as addTag, sentiment or starred.");
  return set;
}

/** Programs send every filter and action back, most of them null. */
function withoutNulls(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

async function readFilter(
  body: BodyReader,
  given: Readonly<Record<string, unknown>>,
  scope: ResourceScope,
): Promise<RuleSettings["filter"]> {
  const { projectId: _, ...filter } = withoutNulls(given) as Record<string, JsonValue>;
  const fault = (message: string) => body.fault(message.replace(/^rule\[0\]\./, ""));
  await readLabelRules([{ filter }], "rule", fault, scope);
  return filter;
}
