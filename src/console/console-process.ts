import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../lib/clock.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { MINUTE, SECOND } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";

/** What the console process is to show. It has passwords, so it goes through the channel, and never on a command line. */
interface Order {
  readonly port: number | null;
  /** Whether a console that is started again gets the port of the one before, also where no port was ordered. */
  readonly keepsPort: boolean;
}

/** What the console process reports. */
export type ConsoleNews =
  | { readonly what: "open"; readonly url: string | null }
  | {
      readonly what: "failed";
      readonly message: string;
      readonly details: readonly string[];
      readonly isOfUser: boolean;
    }
  /** A person wrote a configuration on the console of the demo. */
  | { readonly what: "configured" };

export interface ConsoleProcess {
  /** Resolves with its address when it answers for the first time; rejects with why it cannot. */
  open(order: Order): Promise<string | null>;
  /** Its address; null until it answers. */
  url(): string | null;
  /** Ends it in order. Call it before what it uses is closed. */
  close(): Promise<void>;
}

/** The flag of `earshot start` in the console process; not for people. */
export const CONSOLE_FLAG = "--as-console";

const FIRST_PAUSE_MS = SECOND / 2;
const LONGEST_PAUSE_MS = MINUTE;
/** Whoever ran for so long is started again without a longer pause. */
const STEADY_MS = MINUTE;
/** How long it may take to end. */
const PATIENCE_MS = 15 * SECOND;

/**
 * Runs the console as a process of its own: this program once more, with the same log. It reads its modules while this
 * process opens the database, and waits for its order. If it ends by itself, it is started again after growing pauses;
 * this process goes on. If this process dies, the channel closes, and the console ends.
 */
export function startConsoleProcess(parts: {
  readonly log: Logger;
  /** Aborted when this process stops: the console may then end by itself, because Ctrl-C reaches both. */
  readonly signal: AbortSignal;
  readonly onConfigured?: (() => void) | undefined;
}): ConsoleProcess {
  const { log, signal } = parts;
  const closing = new AbortController();
  let order: Order | null = null;
  let url: string | null = null;
  let isOpen = false;
  let failure: Error | null = null;
  let first: { resolve(url: string | null): void; reject(error: Error): void } | null = null;

  const take = (news: ConsoleNews): void => {
    if (news.what === "configured") parts.onConfigured?.();
    else if (news.what === "failed")
      failure = news.isOfUser ? new UserError(news.message, news.details) : new Error(news.message);
    else {
      url = news.url;
      if (first === null && !isOpen) log.info({ url }, "the console runs again");
      isOpen = true;
      first?.resolve(url);
      first = null;
    }
  };
  const begin = (): { readonly process: ChildProcess; readonly ended: Promise<string> } => {
    const [, program = ""] = process.argv;
    const child = fork(program, ["start", CONSOLE_FLAG], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      // Two processes cannot share the port of a debugger.
      execArgv: process.execArgv.filter((flag) => !flag.startsWith("--inspect")),
    });
    child.on("message", take);
    isOpen = false;
    failure = null;
    // A process that has just died gets no order: it is started again.
    if (order !== null) child.send(order, () => {});
    const ended = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(describeError(error)));
      child.once("exit", (code, by) => resolve(by === null ? `exit code ${code}` : by));
    });
    return { process: child, ended };
  };
  const keep = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const since = monotonicMs();
      const how = await current.ended;
      if (closing.signal.aborted || signal.aborted) return first?.reject(new Error("Earshot is stopping"));
      const fault: Error = failure ?? new Error(`the console process ended (${how})`);
      if (first !== null) return first.reject(fault);
      if (monotonicMs() - since >= STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      const details = fault instanceof UserError ? fault.details : [];
      log.error(
        { how, because: fault.message, details, againInMs: pauseMs },
        "the console ended by itself and is started again; the pipeline goes on",
      );
      await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted || signal.aborted) return;
      current = begin();
    }
  };
  // A terminal that is closed reaches both; `kill` and a supervisor only this process.
  const hangUp = (): void => {
    if (isOpen) current.process.kill("SIGHUP");
  };

  let current = begin();
  let keeping: Promise<void> | null = null;
  process.on("SIGHUP", hangUp);
  return {
    url: () => url,
    open: (ordered) => {
      order = ordered;
      current.process.send(ordered, () => {});
      const opened = new Promise<string | null>((resolve, reject) => {
        first = { resolve, reject };
      });
      keeping = keep();
      // Whoever waits for it may have failed before.
      opened.catch(() => {});
      return opened.then((opened) => {
        // The same port after a crash, also where the system chose it.
        if (opened !== null && (ordered.port !== null || ordered.keepsPort))
          order = { ...ordered, port: Number(new URL(opened).port) };
        return opened;
      });
    },
    close: async () => {
      closing.abort();
      process.off("SIGHUP", hangUp);
      const { process: child, ended } = current;
      // Without an order it has opened nothing.
      if (order === null) child.kill("SIGKILL");
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await ended;
      clearTimeout(late);
      await keeping;
    },
  };
}
