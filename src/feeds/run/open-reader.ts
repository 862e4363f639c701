import { SECOND } from "../../lib/instant.ts";
import { createWorkerPool, type TaskOptions, type WorkerOutcome } from "../../lib/worker-pool.ts";
import type { FeedAnswer, FeedItem, FeedRequest } from "../common/define-feed.ts";
import { FeedError, UnreadableError } from "../common/feed-error.ts";
import type { ReceivedMail } from "../common/mail.ts";
import type { RawAnswer } from "./fetch-feed.ts";
import { readAnswer } from "./read-answer.ts";
import type { ReaderTasks } from "./reader-thread.ts";
import type { RobotsRules } from "./robots.ts";

/**
 * Reads what strangers wrote, in threads with limits of time and memory. Each function throws a FeedError with what is
 * wrong, an UnreadableError if a limit was reached, and the reason of the signal.
 */
export interface ForeignReader {
  readAnswer(answer: RawAnswer, reads: FeedRequest["reads"], signal: AbortSignal): Promise<FeedAnswer>;
  readMail(mail: ReceivedMail, signal: AbortSignal): Promise<readonly FeedItem[]>;
  readRobots(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<RobotsRules>;
  close(): Promise<void>;
}

/** A JSON text of this size takes less time than a message to a thread, whatever is in it. */
const HARMLESS_BYTES = 2_000;

/** Whether an answer is read in a thread. */
export function isReadInThread({ bytes }: Pick<RawAnswer, "bytes">, reads: FeedRequest["reads"]): boolean {
  return reads === "document" || bytes.length > HARMLESS_BYTES;
}

export function openReader(): ForeignReader {
  const pool = createWorkerPool<ReaderTasks>("src/feeds/run/reader-thread");
  const options = (bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): TaskOptions => ({
    // Small ones share their buffer with others.
    transfer: bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [],
    signal,
    // A megabyte of small items takes nearly half a second on an ordinary machine. What takes twice as long is ended.
    processorMs: 2 * SECOND + Math.round(bytes.byteLength / 1_000),
  });
  return {
    async readAnswer(fetched, reads = "json", signal) {
      const { status, url, header, bytes } = fetched;
      const headers = {
        contentType: header("content-type"),
        ...{ location: header("content-location"), language: header("content-language") },
      };
      const input = { bytes, status, url, reads, ...headers };
      const { answer, problem } = isReadInThread(fetched, reads)
        ? resultOf(await pool.run("readAnswer", input, options(bytes, signal)), "its answer")
        : await readAnswer(input);
      if (answer === null) throw new FeedError(problem);
      const { json, document, start } = answer;
      return { status, url, header, document, start, json: json === null ? undefined : JSON.parse(json) };
    },
    async readMail(mail, signal) {
      return resultOf(await pool.run("readMail", mail, options(mail.source, signal)), "it");
    },
    async readRobots(bytes, signal) {
      return resultOf(await pool.run("readRobots", bytes, options(bytes, signal)), "its robots.txt");
    },
    close: pool.close,
  };
}

function resultOf<Result>(outcome: WorkerOutcome<Result>, what: string): Result {
  switch (outcome.outcome) {
    case "Done":
      return outcome.result;
    case "TooLate":
      throw new UnreadableError(`reading ${what} takes too long, so it was ended`);
    case "OutOfMemory":
      throw new UnreadableError(`reading ${what} takes too much memory, so it was ended`);
    case "Failed":
      throw new UnreadableError(`${what} cannot be read: ${outcome.message}`.slice(0, 300));
    case "Busy":
      throw new FeedError("too much else is read at the moment");
    default:
      return outcome satisfies never;
  }
}
