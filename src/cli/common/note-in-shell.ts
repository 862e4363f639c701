import { hostname } from "node:os";
import type { OpenAlertActions } from "#admin";
import type { Actor } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { describeError, UserError } from "../../lib/errors.ts";

interface Parts {
  readonly stores: Pick<OpenAlertActions["stores"], "audit">;
  readonly clock: Clock;
  /** Who does it. */
  readonly actor: Actor;
}

/** Adds an entry to the audit log for what a command did, or was refused. */
export async function noteInShell(
  { stores, clock, actor }: Parts,
  action: string,
  target: string,
  result: { readonly outcome: string; readonly because?: string },
  detail = "",
): Promise<void> {
  const because = result.because === undefined ? "" : `: ${result.because}`;
  const outcome = result.outcome === "Refused" || result.outcome === "Failed" ? result.outcome : "Done";
  await stores.audit.add({
    ...{ at: clock.now(), actor, role: null, origin: hostname(), action, target },
    ...{ outcome, detail: `${detail}${because}` },
  });
}

/** Does it, with its entry in the audit log, also if it is refused or fails. `describe` says what changed. */
export async function notedInShell<Result>(
  parts: Parts,
  action: string,
  target: string,
  work: () => Promise<Result>,
  describe: (result: Result) => string,
): Promise<Result> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    const outcome = error instanceof UserError ? "Refused" : "Failed";
    // The error is what its reader needs, also where the database is away and takes no entry.
    await noteInShell(parts, action, target, { outcome }, describeError(error)).catch(() => {});
    throw error;
  }
  await noteInShell(parts, action, target, { outcome: "Done" }, describe(result));
  return result;
}
