import { UserError } from "../../lib/errors.ts";
import type { SourceClient } from "../../source/source-client.ts";
import type { ApiCall } from "./calls.ts";
import { findNamed, type Named, named, plural } from "./find-named.ts";
import type { Pair } from "./parameters.ts";

/** Each named query makes the address longer, and servers refuse long ones. */
const MOST_QUERIES = 50;

/**
 * Finds the project. An id is used as it is; a name is looked up; an account with one project needs neither. Calls the
 * API only when it must.
 */
export async function findProject(
  client: SourceClient,
  wanted: string | undefined,
  printResult: (line: string) => void,
): Promise<string> {
  if (wanted !== undefined && isId(wanted)) return wanted;
  const list = (await client.projects()).map(({ projectId, name }) => ({ id: projectId, name }));
  if (wanted !== undefined) return findNamed("project", wanted, list).id;
  const [only, ...others] = list;
  if (only === undefined) throw new UserError("this user sees no project");
  if (others.length > 0) throw new UserError("which project? Name one with --project", named(list));
  printResult(`Project: ${only.name} (${only.id}), the only one`);
  return only.id;
}

/** The chosen queries or groups as parameters. Default: all queries of the project. */
export async function findQueries(
  client: SourceClient,
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
  const groups = await idsOf("query group", asked.groups, async () =>
    (await client.extensions.queryGroups(projectId)).map(({ queryGroupId, name }) => ({
      id: queryGroupId,
      name,
    })),
  );
  const listQueries = async (): Promise<Named[]> =>
    (await client.queries(projectId)).map(({ queryId, name }) => ({ id: queryId, name }));
  const queries = await idsOf("query", asked.queries, listQueries);
  const isNamed = asked.pairs.some(([name]) => name === "queryId" || name === "queryGroupId");
  if (groups.length + queries.length > 0 || isNamed) {
    return [...queries.map((id): Pair => ["queryId", id]), ...groups.map((id): Pair => ["queryGroupId", id])];
  }
  const all = await listQueries();
  if (all.length === 0) throw new UserError("the project has no queries");
  if (all.length > MOST_QUERIES)
    throw new UserError(`which of the ${all.length} queries? Name some with --query`, named(all));
  printResult(`Queries: ${all.length === 1 ? "the only one" : `all ${all.length}`} of the project`);
  return all.map(({ id }): Pair => ["queryId", id]);
}

/** Ids are used as they are; names are looked up with one call for the whole list. */
async function idsOf(
  what: string,
  wanted: readonly string[],
  list: () => Promise<readonly Named[]>,
): Promise<string[]> {
  if (wanted.every(isId)) return [...wanted];
  const known = await list();
  if (known.length === 0) throw new UserError(`the project has no ${plural(what)}`);
  return wanted.map((one) => (isId(one) ? one : findNamed(what, one, known).id));
}

function isId(text: string): boolean {
  return /^\d+$/.test(text);
}
