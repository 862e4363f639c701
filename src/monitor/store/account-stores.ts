import { createBudgetStore } from "./budgets.ts";
import type { Db } from "./database.ts";
import { createServerQuirkStore } from "./server-quirks.ts";
import { createTokenStore } from "./tokens.ts";

/** What is stored of the account of a source. */
export type AccountStores = ReturnType<typeof createAccountStores>;

/** `account` names whose rate budget it is; a token is of a login. */
export function createAccountStores(
  db: Db,
  { account, username, baseUrl }: Readonly<Record<"account" | "username" | "baseUrl", string>>,
) {
  return {
    budget: createBudgetStore(db, account),
    tokens: createTokenStore(db, `${username} at ${baseUrl}`),
    quirks: createServerQuirkStore(db, account),
  };
}
