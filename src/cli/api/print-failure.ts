import { cleanLine, SourceError, type SourceErrorKind } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { toIso } from "../../lib/instant.ts";
import { InterruptedError } from "../../lib/stop-signal.ts";
import { ExitError } from "../common/run.ts";
import { type Access, LOCAL } from "./access.ts";

const EXIT_CODES: Readonly<Record<SourceErrorKind, number>> = {
  network: 1,
  timeout: 1,
  aborted: 1,
  unavailable: 1,
  malformed: 1,
  "too-large": 1,
  forbidden: 2,
  "not-found": 2,
  rejected: 2,
  login: 3,
  unauthorized: 3,
  "rate-limited": 4,
  "over-budget": 4,
};

/** Describes a failed call, with its exit code and what to do. Returns any other error unchanged. */
export function printFailure(error: unknown, access: Access): unknown {
  if (!(error instanceof SourceError)) return error;
  if (error.kind === "aborted") return new InterruptedError("stopped");
  const advice = adviceFor(error, access);
  return new ExitError(
    cleanLine(`${error.message}${advice === null ? "" : `; ${advice}`}`),
    EXIT_CODES[error.kind],
  );
}

function adviceFor({ kind, retryAfterMs }: SourceError, access: Access): string | null {
  switch (kind) {
    case "rate-limited":
      return retryAfterMs === null
        ? "wait before you try again"
        : `try again in ${formatDuration(retryAfterMs)}`;
    case "over-budget":
      return `possible again at ${toIso(systemClock.now() + (retryAfterMs ?? 0))}; crises and polls go before the shell, and --all waits by itself`;
    case "network":
      return access.from === LOCAL
        ? "is it still running? `earshot start` or `earshot local-api start` starts it"
        : `is ${access.baseUrl} the right address, and can it be reached from here?`;
    case "not-found":
      return "there may be no such thing in this account, or this API does not have the call";
    case "login":
      return `the account came from ${access.from}`;
    case "too-large":
      return "--param pageSize=1000 asks for smaller pages";
    default:
      return null;
  }
}
