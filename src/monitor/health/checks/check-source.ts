import { formatDuration } from "../../../lib/duration.ts";
import { type Instant, MINUTE } from "../../../lib/instant.ts";
import { sentence } from "../../../lib/text.ts";
import { type Failure, sourceOfScope } from "../../model/failure.ts";
import { type HealthProblem, sourceLabel } from "../../model/operator-rules.ts";
import type { SourceName } from "../../model/query.ts";
import type { HealthCheck } from "../define-check.ts";

type Refusal =
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

/** Whether the source answers calls with 401 or 403. Reported at once: waiting does not help. */
function checkRefusal(calls: readonly Failure[], source: SourceName): Refusal {
  const logins = calls.filter(({ reason }) => reason === "login" || reason === "unauthorized");
  const [login] = logins;
  if (login !== undefined && source === "feeds")
    return {
      outcome: "LoginRefused",
      since: earliest(logins),
      because: `no new mentions of the feeds are read: our own Listening API refuses our login. It said: ${sentence(login.message)} What the feeds bring meanwhile is kept. Start Earshot again, which makes a new password`,
    };
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
    because: `some mentions cannot be read: ${source === "feeds" ? "our own Listening API of the feeds" : "the source"} forbids us ${what}. It said: ${sentence(first.message)} What is missing is read once this is allowed. Have the account's administrator give this user the role and the projects that it needs`,
  };
}

function earliest(failures: readonly Failure[]): Instant {
  return Math.min(...failures.map(({ since }) => since));
}

type RateLimitVerdict =
  | { readonly outcome: "WithinLimit" }
  /** A short refusal, as any limit causes now and then. */
  | { readonly outcome: "LimitedBriefly" }
  | { readonly outcome: "LimitedForLong"; readonly since: Instant; readonly because: string };

/** After so long without a refusal, calls succeed again. */
const QUIET_AGAIN_MS = 5 * MINUTE;

/** Whether the account has been over its rate limit for longer than `longestMs`. */
function checkRateLimit(calls: readonly Failure[], longestMs: number, now: Instant): RateLimitVerdict {
  const limited = calls.filter(
    ({ reason, lastAgoMs }) => reason === "rate-limited" && lastAgoMs < QUIET_AGAIN_MS,
  );
  if (limited.length === 0) return { outcome: "WithinLimit" };
  const since = Math.min(...limited.map((one) => one.since));
  if (now - since < longestMs) return { outcome: "LimitedBriefly" };
  return {
    outcome: "LimitedForLong",
    since,
    because: `mentions are read late: the source has answered "too many calls" for ${formatDuration(now - since)}. Nothing is lost: what waits is read when the account may call again. Watch fewer queries, poll less often (source.pollEvery), or ask for a larger limit. Perhaps another program uses the same account`,
  };
}

/** A source that refuses, or limits our calls for long; the other one may be well. */
export const sourceCheck: HealthCheck = ({ failures, now }, settings) =>
  SOURCES.flatMap((source): HealthProblem[] => {
    const calls = failures.filter(({ kind, scope }) => kind === "call" && sourceOfScope(scope) === source);
    const labels = sourceLabel(source);
    const refusal = checkRefusal(calls, source);
    if (refusal.outcome !== "Answers") {
      const { since, because } = refusal;
      return [{ rule: "source-refuses", labels, since, because, values: {} }];
    }
    const limit = checkRateLimit(calls, settings.rateLimited, now);
    if (limit.outcome !== "LimitedForLong") return [];
    const { since, because } = limit;
    return [{ rule: "source-rate-limited", labels, since, because, values: {} }];
  });

const SOURCES = ["account", "feeds"] as const;
