import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { usersOfFile } from "#admin";
import { type Actor, readEnvironment, type Stores, type UserRole } from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { shellActor, withAlertActions } from "../alerts/with-alert-actions.ts";

export interface UserParts {
  readonly stores: Stores;
  /** Of earshot.yaml. */
  readonly ofFile: readonly { readonly name: string; readonly role: UserRole }[];
  readonly namesOfFile: readonly string[];
  readonly now: Instant;
  /** Who does it. */
  readonly actor: Actor;
}

/** Opens the tables of users, does the work, and closes them. The monitor may run at the same time. */
export async function withUsers<Outcome>(
  env: NodeJS.ProcessEnv,
  work: (parts: UserParts) => Promise<Outcome>,
): Promise<Outcome> {
  const { configFile } = readEnvironment(env);
  const ofFile = existsSync(configFile) ? await usersOfFile(configFile) : [];
  return withAlertActions(env, ({ stores, clock }) =>
    work({
      ...{ stores, ofFile, namesOfFile: ofFile.map(({ name }) => name) },
      ...{ now: clock.now(), actor: shellActor(undefined) },
    }),
  );
}

/** Adds an entry to the audit log for what a command did, or was refused. */
export async function noteInShell(
  { stores, now, actor }: Pick<UserParts, "stores" | "now" | "actor">,
  action: string,
  target: string,
  result: { readonly outcome: string; readonly because?: string },
  detail = "",
): Promise<void> {
  const isDone = result.outcome !== "Refused";
  const because = result.because === undefined ? "" : `: ${result.because}`;
  await stores.audit.add({
    ...{ at: now, actor, role: null, origin: hostname(), action, target },
    ...{ outcome: isDone ? "Done" : "Refused", detail: `${detail}${because}` },
  });
}
