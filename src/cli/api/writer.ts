import type { Output } from "./options.ts";

/** Writes as fast as the reader takes it. */
export interface Writer {
  write(text: string): Promise<void>;
  /** Aborted when nobody reads any more, as after `| head`. */
  readonly closed: AbortSignal;
}

export function createWriter(output: Output): Writer {
  const closed = new AbortController();
  output.on("error", (error) => {
    // A reader who has enough is no failure; a disk that is full is one, and ends the work alike.
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
