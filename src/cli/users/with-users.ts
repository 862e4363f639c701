import { existsSync } from "node:fs";
import { readEnvironment, usersOfFile } from "#admin";
import type { Actor, Stores, UserRole } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import { shellActor, withAlertActions } from "../common/with-alert-actions.ts";

export interface UserParts {
  readonly stores: Stores;
  /** Of earshot.yaml. */
  readonly ofFile: readonly { readonly name: string; readonly role: UserRole }[];
  readonly namesOfFile: readonly string[];
  readonly clock: Clock;
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
      ...{ clock, now: clock.now(), actor: shellActor(undefined) },
    }),
  );
}
