import type { Instant } from "../../lib/instant.ts";
import { fitsGlob } from "../../lib/patterns.ts";
import { type Query, type SourceName, sourceOfProject } from "../model/query.ts";
import type { SourceClient } from "../source/source-client.ts";
import type { Stores } from "../store/stores.ts";

/** Names or ids, with `*` for any characters, of what is watched at the source. */
interface WatchedNames {
  readonly name: SourceName;
  readonly projects: readonly string[];
  readonly queries: readonly string[];
}

/** Tells whether one of these patterns is the id, or fits the name. Plain names are looked up: there may be thousands. */
export function namedBy(patterns: readonly string[]): (id: string, name: string) => boolean {
  const exact = new Set(patterns);
  const plain = new Set(patterns.filter((one) => !isGlob(one)).map((one) => one.toLowerCase()));
  const globs = patterns.filter(isGlob);
  return (id, name) =>
    exact.has(id) || plain.has(name.toLowerCase()) || globs.some((pattern) => fitsGlob(pattern, name));
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/**
 * Asks the source for its projects and queries and watches those that the configuration names. A new query is watched
 * from `watchFrom` on; its mentions since `historyFrom` teach the baselines. Returns what is watched now. Queries of
 * another source stay as they are. Unless `believesEmpty`, a list without any query changes nothing where some are watched:
 * an account whose rights are just being changed may have none to show.
 */
export async function registerQueries(
  parts: { readonly source: SourceClient; readonly stores: Pick<Stores, "queries" | "polls"> },
  watched: WatchedNames,
  moments: { readonly watchFrom: Instant; readonly historyFrom: Instant; readonly now: Instant },
  signal: AbortSignal | undefined,
  believesEmpty: boolean,
): Promise<{ readonly outcome: "Registered" | "Doubted"; readonly queries: readonly Query[] }> {
  const { queries, listed } = await listQueries(parts.source, watched, signal);
  if (listed === 0 && !believesEmpty) {
    const known = (await parts.stores.queries.active()).filter(
      ({ projectId }) => sourceOfProject(projectId) === watched.name,
    );
    if (known.length > 0) return { outcome: "Doubted", queries: known };
  }
  await parts.stores.queries.register(queries, moments.watchFrom, moments.historyFrom, watched.name);
  await parts.stores.polls.ensure(moments.now);
  return { outcome: "Registered", queries };
}

/** The queries of the source that the configuration names. */
export async function watchedQueries(
  source: Pick<SourceClient, "projects" | "queries">,
  watched: WatchedNames,
  signal?: AbortSignal,
): Promise<readonly Query[]> {
  return (await listQueries(source, watched, signal)).queries;
}

/** The same, and how many its projects have at all. */
async function listQueries(
  source: Pick<SourceClient, "projects" | "queries">,
  watched: WatchedNames,
  signal?: AbortSignal,
): Promise<{ readonly queries: readonly Query[]; readonly listed: number }> {
  const call = signal === undefined ? {} : { signal };
  const projects = await source.projects(call);
  const queries: Query[] = [];
  let listed = 0;
  const isProject = namedBy(watched.projects);
  const isQuery = namedBy(watched.queries);
  for (const project of projects.filter((one) => isProject(one.projectId, one.name))) {
    // An id that looks like one of another source would mix the two.
    if (sourceOfProject(project.projectId) !== watched.name) continue;
    for (const query of await source.queries(project.projectId, call)) {
      listed++;
      if (!isQuery(query.queryId, query.name)) continue;
      queries.push({
        projectId: project.projectId,
        queryId: query.queryId,
        name: query.name,
        projectName: project.name,
        timezone: project.timezone ?? "UTC",
      });
    }
  }
  return { queries, listed };
}
