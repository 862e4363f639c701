import { cleanLine, type SourceClient } from "#monitor";
import { closestWord } from "../../lib/closest-word.ts";
import { didYouMean, UserError } from "../../lib/errors.ts";
import type { Pair } from "./parameters.ts";

interface NamedThing {
  readonly id: string;
  readonly name: string;
}

/** Each named query makes the address longer, and servers refuse long ones. */
const MOST_QUERIES = 50;

/** Finds the project: by id, by name, or as the only one. Asks the API only for names. Throws a UserError. */
export async function findProject(
  client: SourceClient,
  project: string | undefined,
  printResult: (line: string) => void,
): Promise<string> {
  if (project !== undefined && isId(project)) return project;
  const list = (await client.projects()).map(({ projectId, name }) => ({ id: projectId, name }));
  if (project !== undefined) return findNamed("project", project, list).id;
  const [only, ...others] = list;
  if (only === undefined) throw new UserError("this user sees no project");
  if (others.length > 0) throw new UserError("which project? Name one with --project", named(list));
  printResult(`Project: ${only.name} (${only.id}), the only one`);
  return only.id;
}

/** The chosen queries and groups as parameters. Default: all queries of the project. Throws a UserError. */
export async function findQueries(
  client: SourceClient,
  projectId: string,
  names: { readonly queries: readonly string[]; readonly groups: readonly string[] },
  printResult: (line: string) => void,
): Promise<Pair[]> {
  const listQueries = async (): Promise<NamedThing[]> =>
    (await client.queries(projectId)).map(({ queryId, name }) => ({ id: queryId, name }));
  const listGroups = async (): Promise<NamedThing[]> =>
    (await client.extensions.queryGroups(projectId)).map(({ queryGroupId, name }) => ({
      id: queryGroupId,
      name,
    }));
  const groups = await idsOf("query group", names.groups, listGroups);
  const queries = await idsOf("query", names.queries, listQueries);
  if (groups.length + queries.length > 0)
    return [...queries.map((id): Pair => ["queryId", id]), ...groups.map((id): Pair => ["queryGroupId", id])];
  const all = await listQueries();
  if (all.length === 0) throw new UserError("the project has no queries");
  if (all.length > MOST_QUERIES)
    throw new UserError(`which of the ${all.length} queries? Name some with --query`, named(all));
  printResult(`Queries: ${all.length === 1 ? "the only one" : `all ${all.length}`} of the project`);
  return all.map(({ id }): Pair => ["queryId", id]);
}

/** Ids as they stand, names as the list has them. */
async function idsOf(
  what: string,
  names: readonly string[],
  list: () => Promise<NamedThing[]>,
): Promise<readonly string[]> {
  if (names.every(isId)) return names;
  const known = await list();
  if (known.length === 0) throw new UserError(`the project has no ${plural(what)}`);
  return names.map((one) => (isId(one) ? one : findNamed(what, one, known).id));
}

/** By its id, its name, or a unique part of the name, ignoring case. Throws a UserError that lists the known items. */
function findNamed(what: string, typed: string, list: readonly NamedThing[]): NamedThing {
  const name = fold(typed);
  const whole = list.filter((one) => one.id === typed || fold(one.name) === name);
  const found = whole.length > 0 ? whole : list.filter((one) => fold(one.name).includes(name));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new UserError(`several of the ${plural(what)} are called "${typed}"`, named(found));
  const names = list.map((one) => cleanLine(one.name));
  throw new UserError(`there is no ${what} "${typed}"${didYouMean(closestWord(typed, names))}`, named(list));
}

/** `id  name` lines; a long list is cut. */
function named(list: readonly NamedThing[]): string[] {
  const lines = list.slice(0, 20).map(({ id, name }) => `${id.padEnd(12)} ${cleanLine(name)}`);
  return list.length > 20 ? [...lines, `and ${list.length - 20} more`] : lines;
}

function plural(what: string): string {
  return what.endsWith("y") ? `${what.slice(0, -1)}ies` : `${what}s`;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}

function isId(text: string): boolean {
  return /^\d+$/.test(text);
}
