import type { Output } from "./options.ts";

/** Writes as fast as the reader reads. */
export interface Writer {
  write(text: string): Promise<void>;
  /** Aborted when the reader closes the pipe, as `| head` does. */
  readonly closed: AbortSignal;
}

export function createWriter(output: Output): Writer {
  const closed = new AbortController();
  output.on("error", (error) => {
    // A reader that closed the pipe is no failure. A full disk is one, and ends the work too.
    if (error.code !== "EPIPE") process.exitCode = 1;
    closed.abort();
  });
  return {
    closed: closed.signal,
    write: async (text) => {
      if (closed.signal.aborted || output.write(text)) return;
      await new Promise<void>((resolve) => {
        output.once("drain", resolve);
        closed.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    },
  };
}
