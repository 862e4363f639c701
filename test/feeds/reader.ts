import type { FeedAnswer, FeedRequest } from "../../src/feeds/common/define-feed.ts";
import { readDocument } from "../../src/feeds/kinds/rss/read-document.ts";
import { openReader } from "../../src/feeds/run/open-reader.ts";
import { readJsonAnswer } from "../../src/feeds/run/read-json-answer.ts";

/** One for all files of a process: its threads end by themselves, and keep no process alive. */
export const reader = openReader();

/** An answer with this body as a reader of a feed gets it, read here. Throws what reading throws. */
export function answerOf(
  body: string,
  reads: FeedRequest["reads"] = "json",
  { status = 200, url = "https://blog.example/feed" }: { status?: number; url?: string } = {},
): FeedAnswer {
  const isDocument = reads === "document";
  return {
    ...{ status, url, start: body.slice(0, 500), header: () => null },
    json: isDocument ? undefined : readJsonAnswer(body, reads === "loose json"),
    document: isDocument && status === 200 ? readDocument(body, url) : null,
  };
}
