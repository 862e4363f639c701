import type { Access } from "../../../src/cli/api/access.ts";
import { type ApiOptions, runApi } from "../../../src/cli/api/run-api.ts";
import { ExitError } from "../../../src/cli/common/run.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { UserError } from "../../../src/lib/errors.ts";
import type { Gate } from "../../../src/monitor/source/budget.ts";
import { API_CALLS } from "../../../src/monitor/source/call-table.ts";

const OPTIONS: ApiOptions = {
  param: [],
  all: false,
  json: false,
  csv: false,
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

/** Runs calls as the command does, one after the other, and returns the output as texts. */
export function createShell(
  account: Pick<Access, "baseUrl" | "credentials"> & { readonly clock?: Clock },
  gate?: Gate,
) {
  return async (
    name: string,
    options: Partial<ApiOptions> = {},
    signal = new AbortController().signal,
  ): Promise<Printed> => {
    const call = API_CALLS.find((one) => one.name === name);
    if (call === undefined) throw new Error(`no call ${name}`);
    const access: Access = { clock: systemClock, from: "the test", ...account };
    const written = { out: "", err: "" };
    const { error } = console;
    const { write } = process.stdout;
    console.error = (line: string) => {
      written.err += `${line}\n`;
    };
    process.stdout.write = (text: string | Uint8Array) => {
      written.out += text.toString();
      return true;
    };
    try {
      await runApi(call, { ...OPTIONS, ...options }, access, signal, gate);
      return { ...written, failure: null, exitCode: 0 };
    } catch (thrown) {
      return { ...written, ...failureOf(thrown) };
    } finally {
      console.error = error;
      process.stdout.write = write;
    }
  };
}

function failureOf(error: unknown): Pick<Printed, "failure" | "exitCode"> {
  if (error instanceof UserError)
    return { failure: [error.message, ...error.details].join("\n"), exitCode: 2 };
  if (error instanceof ExitError) return { failure: error.message, exitCode: error.exitCode };
  if (error instanceof Error)
    return { failure: error.message, exitCode: error.name === "InterruptedError" ? 130 : 1 };
  throw error;
}
