import type { Instant } from "../../lib/instant.ts";
import type { Failure } from "../../model/failure.ts";
import { sentence } from "./name-some.ts";

export type Refusal =
  | { readonly outcome: "Answers" }
  /** The credentials, or a fresh token, are refused: nothing can be read. */
  | { readonly outcome: "LoginRefused"; readonly since: Instant; readonly because: string }
  /** The login works, but has no access to the data. */
  | {
      readonly outcome: "Forbidden";
      readonly since: Instant;
      readonly scopes: number;
      readonly because: string;
    };

/** Whether the source answers 401 or 403. Reported at once: waiting does not help. */
export function checkRefusal(failures: readonly Failure[]): Refusal {
  const calls = failures.filter(({ kind }) => kind === "call");
  const logins = calls.filter(({ reason }) => reason === "login" || reason === "unauthorized");
  const [login] = logins;
  if (login !== undefined) {
    return {
      outcome: "LoginRefused",
      since: earliest(logins),
      because: `no new mentions are read: the source refuses our login. It said: ${sentence(login.message)} What is published meanwhile is read once the login works. Put the right source.username, source.password and source.clientId into earshot.yaml and start Earshot again; earshot doctor tries them`,
    };
  }
  const forbidden = calls.filter(({ reason }) => reason === "forbidden");
  const [first] = forbidden;
  if (first === undefined) return { outcome: "Answers" };
  const what = forbidden.length === 1 ? "a call" : `${forbidden.length} kinds of calls`;
  return {
    outcome: "Forbidden",
    since: earliest(forbidden),
    scopes: forbidden.length,
    because: `some mentions cannot be read: the source forbids us ${what}. It said: ${sentence(first.message)} What is missing is read once this is allowed. Have the account's administrator give this user the role and the projects that it needs`,
  };
}

function earliest(failures: readonly Failure[]): Instant {
  return Math.min(...failures.map(({ since }) => since));
}
