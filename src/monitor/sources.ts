import { SECOND } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { FEEDS_PREFIX } from "./model/query.ts";
import { createCallGate } from "./polling/call-gate.ts";
import type { OwnPriority } from "./polling/page-request.ts";
import { createSourceClient, type SourceClient, type SourceClientOptions } from "./source/source-client.ts";
import type { Source, SourceConfig } from "./source/source-config.ts";
import { SourceError } from "./source/source-error.ts";
import type { BudgetStore } from "./store/budgets.ts";
import type { Database } from "./store/database.ts";
import { createTokenStore } from "./store/tokens.ts";

/** Whose budget it is: every user of one client shares it, and a login may belong to several clients. */
export function accountOf({
  username,
  baseUrl,
  platformClientId,
}: Pick<SourceConfig, "username" | "baseUrl"> & { readonly platformClientId?: string | undefined }): string {
  return `${platformClientId === undefined ? username : `client ${platformClientId}`} at ${baseUrl}`;
}

/** How a client reaches this source, and names what is there. */
export function accessTo(
  source: Source,
): Pick<SourceClientOptions, "baseUrl" | "credentials" | "timeoutMs" | "prefix"> {
  const { name, baseUrl, username, password, clientId, platformClientId, timeout } = source;
  return {
    baseUrl,
    credentials: { username, password, clientId, platformClientId },
    timeoutMs: timeout,
    ...(name === "feeds" && { prefix: FEEDS_PREFIX }),
  };
}

/** A client for each priority: they share the token and the budget, and differ in the slots that they may take. */
export function sourcesOf(
  source: Source,
  database: Database,
  budget: BudgetStore,
  log: Logger,
  signal: AbortSignal,
): Readonly<Record<OwnPriority, SourceClient>> {
  const { baseUrl, username, timeout } = source;
  const open = (priority: OwnPriority): SourceClient =>
    createSourceClient({
      ...accessTo(source),
      tokens: createTokenStore(database.db, `${username} at ${baseUrl}`),
      gate: createCallGate({ budget, priority, timeoutMs: timeout, patienceMs: PATIENCE_MS, log }),
      log,
      signal,
    });
  return { crisis: open("crisis"), live: open("live"), background: open("background") };
}

/** A call that must wait longer for its slot gives its worker back. */
const PATIENCE_MS = 2 * SECOND;

/**
 * What the account's record says about its rate limit. If it says nothing, or may not be read, headers and refusals
 * still may: watching starts in any case.
 */
export async function learnLimit(
  source: Pick<SourceClient, "client">,
  budget: BudgetStore,
  log: Logger,
): Promise<void> {
  const record = await source.client().catch((error: unknown) => {
    if (!(error instanceof SourceError) || !WITHHELD.has(error.kind)) throw error;
    log.warn(
      { error: error.message },
      "the record of the account cannot be read; its rate limit is learned from answers",
    );
    return null;
  });
  if (record === null) return;
  const { rateLimit } = record;
  const { limit, learnedFrom } = await budget.read();
  if (learnedFrom === "answer") return;
  if (
    learnedFrom === "client" &&
    limit?.limit === rateLimit?.limit &&
    limit?.periodMs === rateLimit?.periodMs
  )
    return;
  await budget.learn(rateLimit, "client");
  log.info({ ...rateLimit }, "the rate limit of the account is known");
}

/** The source's answer if it does not show the record. */
const WITHHELD: ReadonlySet<string> = new Set(["forbidden", "not-found", "rejected", "malformed"]);
