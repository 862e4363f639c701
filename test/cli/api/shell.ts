import { EventEmitter } from "node:events";
import type { Access } from "../../../src/cli/api/access.ts";
import { openApiCache } from "../../../src/cli/api/api-cache.ts";
import type { ApiOptions, Output } from "../../../src/cli/api/options.ts";
import { runApi } from "../../../src/cli/api/run-api.ts";
import { ExitError } from "../../../src/cli/run.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { UserError } from "../../../src/lib/errors.ts";
import type { Gate } from "../../../src/monitor/source/budget.ts";
import { findCall } from "../../../src/monitor/source/call-table.ts";

const OPTIONS: ApiOptions = {
  query: [],
  queryGroup: [],
  param: [],
  all: false,
  json: false,
  quiet: false,
  tokenIn: "header",
  jsonSuffix: false,
};

/** The output of a command, and its failure, if any. */
export interface Printed {
  readonly out: string;
  readonly err: string;
  readonly failure: string | null;
  readonly exitCode: number;
}

/** Runs calls as the command does, and returns the output as texts. */
export function createShell(
  account: Pick<Access, "baseUrl" | "credentials"> & {
    readonly clock?: Clock;
    /** Where the cache lies; without it nothing is kept, because nobody can make a folder there. */
    readonly home?: string;
    readonly wall?: Clock;
  },
  gate?: Gate,
) {
  return async (
    name: string,
    options: Partial<ApiOptions> = {},
    how: { readonly columns?: number; readonly signal?: AbortSignal; readonly readOnly?: number } = {},
  ): Promise<Printed> => {
    const call = findCall(name);
    if (call === undefined) throw new Error(`no call ${name}`);
    const stdout = createOutput(how.columns, how.readOnly);
    const stderr = createOutput(how.columns);
    const access: Access = { clock: systemClock, from: "the test", ...account };
    const signal = how.signal ?? new AbortController().signal;
    const cache = openApiCache(account.home ?? "/dev/null/none", account, account.wall ?? systemClock);
    const error = await runApi(
      call,
      { ...OPTIONS, ...options },
      access,
      { stdout, stderr, signal },
      cache,
      gate,
    ).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return { out: stdout.text(), err: stderr.text(), ...outcome(error) };
  };
}

function outcome(error: unknown): Pick<Printed, "failure" | "exitCode"> {
  if (error === null) return { failure: null, exitCode: 0 };
  if (error instanceof UserError)
    return { failure: [error.message, ...error.details].join("\n"), exitCode: 2 };
  if (error instanceof ExitError) return { failure: error.message, exitCode: error.exitCode };
  if (error instanceof Error)
    return { failure: error.message, exitCode: error.name === "InterruptedError" ? 130 : 1 };
  throw error;
}

/** A terminal of so many columns, or a pipe; with `readOnly` its reader closes the pipe after so many texts. */
function createOutput(columns?: number, readOnly = Number.POSITIVE_INFINITY): Output & { text(): string } {
  const events = new EventEmitter();
  const texts: string[] = [];
  return {
    ...(columns === undefined ? {} : { isTTY: true, columns }),
    write: (text) => {
      if (texts.length >= readOnly) {
        queueMicrotask(() => events.emit("error", Object.assign(new Error("EPIPE"), { code: "EPIPE" })));
        return false;
      }
      texts.push(text);
      return true;
    },
    once: (event, listener) => events.once(event, listener),
    on: (event, listener) => events.on(event, listener),
    text: () => texts.join(""),
  };
}
