import {
  type Budget,
  createMemoryTokenStore,
  createSourceClient,
  type Gate,
  type NamedQuery,
  namedBy,
  type SourceClient,
  type SourceConfig,
  SourceError,
  type SourceProject,
  type SourceQuery,
} from "#monitor";
import { closestWord } from "../../lib/closest-word.ts";
import { formatDuration } from "../../lib/duration.ts";
import { describeError, didYouMean } from "../../lib/errors.ts";
import { counted } from "../../lib/numbers.ts";
import { fitsQuery } from "../../lib/patterns.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/**
 * One login, one call for the account, one for its projects, and one for the queries of the first project with a
 * watched query: checks credentials, budget, and whether anything is watched. If rules, routes or digests name queries,
 * the other projects are called, too, to check these names.
 */
export async function checkSource(
  config: SourceConfig,
  named: readonly NamedQuery[],
  gate?: Gate,
): Promise<readonly Finding[]> {
  const { baseUrl, username, password, clientId, platformClientId } = config;
  const latest: { budget: Budget | null } = { budget: null };
  const client = createSourceClient({
    baseUrl,
    credentials: { username, password, clientId, platformClientId },
    tokens: createMemoryTokenStore(),
    timeoutMs: Math.min(config.timeout, 20_000),
    gate,
    onBudget: (budget) => {
      latest.budget = budget;
    },
  });
  try {
    const account = await client.client();
    const projects = await client.projects();
    const isNamed = namedBy(config.projects);
    const watched = projects.filter(({ projectId, name }) => isNamed(projectId, name));
    return [
      ok("credentials", `the login works, and sees ${counted(projects.length, "project")}`),
      budgetOf(account.rateLimit, latest.budget),
      projects.length === 0
        ? fail(
            "projects",
            "the user sees no project",
            "Have the account's administrator share a project with it.",
          )
        : ok("projects", nameSome(projects)),
      ...(projects.length === 0 ? [] : await watchedQueries(config, named, watched, client)),
    ];
  } catch (error) {
    return [refusal(error)];
  } finally {
    await client.close();
  }
}

/** A misspelt name in `source` watches nothing, and a monitor of nothing is silent. */
async function watchedQueries(
  config: SourceConfig,
  named: readonly NamedQuery[],
  projects: readonly SourceProject[],
  client: SourceClient,
): Promise<readonly Finding[]> {
  if (projects.length === 0)
    return [fail("queries", "no project matches source.projects", "Name projects that the user sees.")];
  const isNamed = namedBy(config.queries);
  const watched: SourceQuery[] = [];
  const others: SourceQuery[] = [];
  for (const { projectId } of projects.slice(0, MOST_PROJECTS)) {
    if (watched.length > 0 && named.length === 0) break;
    for (const query of await client.queries(projectId))
      (isNamed(query.queryId, query.name) ? watched : others).push(query);
  }
  const isAll = projects.length <= MOST_PROJECTS;
  if (watched.length > 0)
    return [ok("queries", nameSome(watched)), ...(isAll ? namedInVain(named, watched) : [])];
  const found = `none matches source.queries in ${counted(Math.min(projects.length, MOST_PROJECTS), "project")}`;
  const there = others.length === 0 ? "" : `, but there are ${nameSome(others)}`;
  const advice = "Name queries by name or id; * stands for any characters.";
  return [
    isAll
      ? fail("queries", `${found}${there}`, advice)
      : warn("queries", `${found} of ${projects.length}${there}`, advice),
  ];
}

/** Names in rules, routes and digests that match no watched query, so their settings have no effect. */
function namedInVain(named: readonly NamedQuery[], watched: readonly SourceQuery[]): readonly Finding[] {
  const names = watched.map(({ name }) => name);
  const vain = named.filter(
    ({ pattern }) => !watched.some(({ queryId, name }) => fitsQuery([pattern], { queryId, queryName: name })),
  );
  return vain.map(({ pattern, rule, path }) => {
    const where = rule === null ? formatPath(path) : `rule ${rule}`;
    const meant = didYouMean(closestWord(pattern, names));
    return fail(
      "queries",
      `${where} names "${pattern}", which matches no watched query${meant || ` (watched are ${nameSome(watched)})`}`,
      "Fix the name, or watch the query: source.queries.",
    );
  });
}

/** `routes[0].match.query` */
function formatPath(path: readonly (string | number)[]): string {
  const parts = typeof path.at(-1) === "number" ? path.slice(0, -1) : path;
  return parts
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .slice(1);
}

/** Each project costs a call of the account. */
const MOST_PROJECTS = 5;

function nameSome(named: readonly { readonly name: string }[]): string {
  const names = named.slice(0, 3).map(({ name }) => name);
  return names.join(", ") + (named.length > 3 ? " …" : "");
}

/** The rate limit, from the account's record, and from headers if the source sends them. */
function budgetOf(limit: { limit: number; periodMs: number } | null, stated: Budget | null): Finding {
  const known = stated ?? limit;
  if (known === null)
    return warn(
      "budget",
      "the source names no rate limit",
      "Ask for the account's limit; the usual one is 30 calls in 10 minutes.",
    );
  const used = stated?.used ?? null;
  const found = `${known.limit} calls in ${formatDuration(known.periodMs)}${used === null ? "" : `, ${used} used`}`;
  return used !== null && used >= 0.9 * known.limit
    ? warn("budget", found, "Hardly any calls are left for now; other programs may use the account.")
    : ok("budget", found);
}

/** Errors of the source contain no secrets. */
function refusal(error: unknown): Finding {
  const message = describeError(error);
  if (!(error instanceof SourceError)) return fail("credentials", message, "Check source in earshot.yaml.");
  switch (error.kind) {
    case "login":
    case "unauthorized":
      return fail(
        "credentials",
        message,
        "Put the right username, password and clientId into source of earshot.yaml.",
      );
    case "forbidden":
      return fail("credentials", message, "The user needs a role that may use the API (Regular or Admin).");
    case "rate-limited":
      return warn("budget", message, "The account has no calls left for now; other programs may use it.");
    default:
      return fail("source", message, "Is source.baseUrl right, and can this machine reach it?");
  }
}
