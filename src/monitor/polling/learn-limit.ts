import type { Logger } from "../../lib/log.ts";
import type { SourceClient } from "../source/source-client.ts";
import { SourceError } from "../source/source-error.ts";
import type { BudgetStore } from "../store/budgets.ts";

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
