import type { ApiCall, SourceClient } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { UserError } from "../../lib/errors.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { ApiCache } from "./api-cache.ts";
import { findNamed, type Named, named, plural } from "./find-named.ts";
import type { Pair } from "./parameters.ts";

/** Each named query makes the address longer, and servers refuse long ones. */
const MOST_QUERIES = 50;

/** Who answers for names: the kept ones, then the API. */
export interface NameSource {
  readonly client: SourceClient;
  readonly cache: ApiCache;
}

/** Calls whose answers are lists of names. */
const NAME_LISTS = ["projects", "queries", "query-groups"] as const;
type NameList = (typeof NAME_LISTS)[number];

export function isNameList(call: string): call is NameList {
  return NAME_LISTS.some((list) => list === call);
}

/** Under which key the cache keeps a list. */
export function nameKey(list: NameList, projectId = "the account"): string {
  return `${list} of ${projectId}`;
}

/**
 * Finds the project. An id is used as it is; a name is looked up; an account with one project needs neither. Calls the
 * API only when it must.
 */
export async function findProject(
  source: NameSource,
  wanted: string | undefined,
  printResult: (line: string) => void,
): Promise<string> {
  if (wanted !== undefined && isId(wanted)) return wanted;
  const load = async (): Promise<Named[]> =>
    (await source.client.projects()).map(({ projectId, name }) => ({ id: projectId, name }));
  return await findIn(source, nameKey("projects"), load, (list, age) => {
    if (wanted !== undefined) return findNamed("project", wanted, list).id;
    const [only, ...others] = list;
    if (only === undefined) throw new UserError("this user sees no project");
    if (others.length > 0) throw new UserError("which project? Name one with --project", named(list));
    printResult(`Project: ${only.name} (${only.id}), the only one${age}`);
    return only.id;
  });
}

/** The chosen queries or groups as parameters. Default: all queries of the project. */
export async function findQueries(
  source: NameSource,
  call: ApiCall,
  projectId: string,
  asked: {
    readonly queries: readonly string[];
    readonly groups: readonly string[];
    readonly pairs: readonly Pair[];
  },
  printResult: (line: string) => void,
): Promise<Pair[]> {
  if (call.needs !== "mentions") {
    if (asked.queries.length + asked.groups.length > 0)
      throw new UserError(`--query: ${call.name} is not about queries`);
    return [];
  }
  const { client } = source;
  const loadGroups = async (): Promise<Named[]> =>
    (await client.extensions.queryGroups(projectId)).map(({ queryGroupId, name }) => ({
      id: queryGroupId,
      name,
    }));
  const loadQueries = async (): Promise<Named[]> =>
    (await client.queries(projectId)).map(({ queryId, name }) => ({ id: queryId, name }));
  const queryKey = nameKey("queries", projectId);
  const groups = asked.groups.every(isId)
    ? asked.groups
    : await findIn(
        source,
        nameKey("query-groups", projectId),
        loadGroups,
        idsOf("query group", asked.groups),
      );
  const queries = asked.queries.every(isId)
    ? asked.queries
    : await findIn(source, queryKey, loadQueries, idsOf("query", asked.queries));
  const isNamed = asked.pairs.some(([name]) => name === "queryId" || name === "queryGroupId");
  if (groups.length + queries.length > 0 || isNamed) {
    return [...queries.map((id): Pair => ["queryId", id]), ...groups.map((id): Pair => ["queryGroupId", id])];
  }
  return await findIn(source, queryKey, loadQueries, (all, age) => {
    if (all.length === 0) throw new UserError("the project has no queries");
    if (all.length > MOST_QUERIES)
      throw new UserError(`which of the ${all.length} queries? Name some with --query`, named(all));
    printResult(`Queries: ${all.length === 1 ? "the only one" : `all ${all.length}`} of the project${age}`);
    return all.map(({ id }): Pair => ["queryId", id]);
  });
}

/** Searches the kept list. Where that is missing or does not have it, asks the API and searches the new list. */
async function findIn<T>(
  { cache }: NameSource,
  key: string,
  load: () => Promise<readonly Named[]>,
  find: (list: readonly Named[], age: string) => T,
): Promise<T> {
  const kept = await cache.names(key);
  if (kept !== null) {
    try {
      return find(kept.list, kept.ageMs < MINUTE ? "" : `, as of ${formatDuration(kept.ageMs)} ago`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
  const list = await load();
  await cache.keepNames(key, list);
  return find(list, "");
}

/** Ids as they stand, names as the list has them. */
function idsOf(what: string, wanted: readonly string[]): (known: readonly Named[]) => string[] {
  return (known) => {
    if (known.length === 0) throw new UserError(`the project has no ${plural(what)}`);
    return wanted.map((one) => (isId(one) ? one : findNamed(what, one, known).id));
  };
}

function isId(text: string): boolean {
  return /^\d+$/.test(text);
}
