import type { SourcePage } from "../ingest/source-page.ts";
import type { PollRequest } from "./poll-request.ts";
import { createRepeatCounter } from "./repeat-counter.ts";

/** One of several queries that share a poll: a channel from the shared pages to its own. */
export interface Member {
  readonly queryId: string;
  readonly request: PollRequest;
  /** Its pages. `arrive` is called when the first one is requested. */
  pages(arrive: () => void): AsyncGenerator<SourcePage, void, undefined>;
  /** Passes it a page, and waits until it requests another one, or ends. */
  offer(page: SourcePage): Promise<void>;
  /** After the last page. */
  end(): void;
  fail(error: unknown): void;
  /** Its poll has ended, with success or not. */
  leave(): void;
  readonly left: Promise<void>;
  /** Distinct rows that were offered so far, and would be with this page. */
  rowsWith(page: Pick<SourcePage, "mentions" | "rejected">): number;
}

type Item = { readonly page: SourcePage; readonly taken: () => void } | { readonly error: unknown } | "end";

export function createMember(queryId: string, request: PollRequest): Member {
  const items: Item[] = [];
  const repeats = createRepeatCounter();
  let rows = 0;
  let wake: (() => void) | null = null;
  let isClosed = false;
  let settle = (): void => {};
  const left = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const put = (item: Item): void => {
    items.push(item);
    wake?.();
  };
  const next = async (): Promise<Item> => {
    for (;;) {
      const item = items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const close = (): void => {
    isClosed = true;
    for (const item of items.splice(0)) if (typeof item === "object" && "taken" in item) item.taken();
  };

  return {
    queryId,
    request,
    left,
    async *pages(arrive) {
      arrive();
      try {
        for (;;) {
          const item = await next();
          if (item === "end") return;
          if ("error" in item) throw item.error;
          yield item.page;
          item.taken();
        }
      } finally {
        close();
      }
    },
    offer: (page) =>
      isClosed
        ? Promise.resolve()
        : new Promise((resolve) => {
            put({ page, taken: resolve });
          }),
    end: () => put("end"),
    fail: (error) => put({ error }),
    leave: () => {
      close();
      settle();
    },
    rowsWith: (page) => {
      rows += page.mentions.length + page.rejected.length - repeats.count(page.mentions);
      return rows;
    },
  };
}
