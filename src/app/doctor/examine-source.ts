import type { SourceConfig } from "../../config/source-config.ts";
import { counted } from "../../lib/counted.ts";
import { formatDuration } from "../../lib/duration.ts";
import { describeError } from "../../lib/errors.ts";
import type { Budget } from "../../source/budget.ts";
import type { Gate } from "../../source/gate.ts";
import { createSourceClient } from "../../source/source-client.ts";
import { SourceError } from "../../source/source-error.ts";
import { createMemoryTokenStore } from "../../source/token-store.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** One login, one call for the account and one for its projects: credentials, budget, and whether anything is watched. */
export async function examineSource(config: SourceConfig, gate?: Gate): Promise<readonly Finding[]> {
  const { baseUrl, username, password, clientId, platformClientId } = config;
  const latest: { budget: Budget | null } = { budget: null };
  const client = createSourceClient({
    baseUrl,
    credentials: { username, password, clientId, platformClientId },
    tokens: createMemoryTokenStore(),
    timeoutMs: Math.min(config.timeout, 20_000),
    ...(gate === undefined ? {} : { gate }),
    onBudget: (budget) => {
      latest.budget = budget;
    },
  });
  try {
    const account = await client.client();
    const projects = await client.projects();
    return [
      ok("credentials", `the login works, and sees ${counted(projects.length, "project")}`),
      budgetOf(account.rateLimit, latest.budget),
      projects.length === 0
        ? fail(
            "projects",
            "the user sees no project",
            "Have the account's administrator share a project with it.",
          )
        : ok(
            "projects",
            projects
              .slice(0, 3)
              .map(({ name }) => name)
              .join(", ") + (projects.length > 3 ? " …" : ""),
          ),
    ];
  } catch (error) {
    return [refusal(error)];
  } finally {
    await client.close();
  }
}

/** What the account may call, by its record, and by the headers where the source sends them. */
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

/** Errors of the source are made without secrets. */
function refusal(error: unknown): Finding {
  const said = describeError(error);
  if (!(error instanceof SourceError)) return fail("credentials", said, "Look at source in earshot.yaml.");
  switch (error.kind) {
    case "login":
    case "unauthorized":
      return fail(
        "credentials",
        said,
        "Put the right username, password and clientId into source of earshot.yaml.",
      );
    case "forbidden":
      return fail("credentials", said, "The user needs a role that may use the API (Regular or Admin).");
    case "rate-limited":
      return warn("budget", said, "The account has no calls left for now; other programs may use it.");
    default:
      return fail("source", said, "Is source.baseUrl right, and does this machine reach it?");
  }
}
