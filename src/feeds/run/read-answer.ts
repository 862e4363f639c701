import type { FeedAnswer, FeedRequest } from "../common/define-feed.ts";
import { FeedError } from "../common/feed-error.ts";
import { readJsonAnswer } from "./read-json-answer.ts";
import { textOfBytes } from "./text-of-bytes.ts";

/** An answer that is to be read. */
interface AnswerBytes {
  readonly bytes: Uint8Array;
  readonly status: number;
  readonly url: string;
  readonly contentType: string | null;
  /** Of its headers `Content-Location` and `Content-Language`. */
  readonly location?: string | null;
  readonly language?: string | null;
  readonly reads: NonNullable<FeedRequest["reads"]>;
}

/** What it says, or what is wrong with it, for people. */
type ReadAnswer =
  | {
      readonly answer: Pick<FeedAnswer, "document" | "start"> & {
        /** As text, which a thread sends in a third of the time; null if it is none. */
        readonly json: string | null;
      };
      readonly problem: null;
    }
  | { readonly answer: null; readonly problem: string };

const LONGEST_START = 500;

/** Reads an answer. What a document is read with is loaded by the first one. */
export async function readAnswer({
  bytes,
  status,
  url,
  contentType,
  reads,
  location = null,
  language = null,
}: AnswerBytes): Promise<ReadAnswer> {
  const text = textOfBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), contentType);
  const start = text.slice(0, LONGEST_START);
  try {
    if (reads !== "document") {
      const json = readJsonAnswer(text, reads === "loose json");
      const answer = { json: json === undefined ? null : JSON.stringify(json), document: null, start };
      return { answer, problem: null };
    }
    const { readDocument } = await import("../kinds/rss/read-document.ts");
    // With another status it is a page about an error.
    const document = status === 200 ? readDocument(text, url, { location, language }) : null;
    return { answer: { json: null, document, start }, problem: null };
  } catch (error) {
    if (error instanceof FeedError) return { answer: null, problem: error.message };
    throw error;
  }
}
