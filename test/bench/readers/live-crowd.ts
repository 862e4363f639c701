import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { monotonicMs } from "../../../src/lib/clock.ts";

/**
 * Browsers with open live pages, and people who search at the same moment, in a process of their own. A page does as
 * assets/live.js and htmx do: it asks for its part at each event, one request at a time and the last event after it, and
 * again in five to ten seconds where the server was too busy.
 */
const [, , url = "", pages = "0", searches = "0"] = process.argv;

const SEARCH_EVERY_MS = 5_000;
const WORDS = [
  "battery",
  "refund",
  "support",
  "delivery",
  "price",
  "app",
  "store",
  "update",
  "service",
  "screen",
];

export interface LiveReport {
  /** From an event until the page shows it, in milliseconds. */
  readonly shownMs: readonly number[];
  readonly searchMs: readonly number[];
  /** Answers of 503, by what was asked. */
  readonly refused: { readonly parts: number; readonly searches: number };
  readonly failed: number;
  readonly open: number;
  readonly events: number;
  /** Pages that show something else than the newest answer, when all has come to rest. */
  readonly behind: number;
}

const shownMs: number[] = [];
const searchMs: number[] = [];
const refused = { parts: 0, searches: 0 };
let [failed, open, events, isOver] = [0, 0, 0, false];
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** By page: what it shows. */
const shown: Answer[] = [];

interface Answer {
  readonly status: number;
  /** As it came: what 500 browsers unpack is not the server's time, and here they share its processors. */
  readonly body: Buffer;
  readonly isPacked: boolean;
}

const NOTHING: Answer = { status: 0, body: Buffer.alloc(0), isPacked: false };

function textOf({ body, isPacked }: Answer): string {
  return (isPacked ? gunzipSync(body) : body).toString("utf8");
}

/** As from a browser at an address of its own: one that finds its open connection closed asks again on a new one. */
function ask(path: string, reader: number): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { accept: "text/html", "accept-encoding": "gzip" };
    const request = get(`${url}${path}`, { agent, headers, localAddress: addressOf(reader) }, (answer) => {
      const isPacked = answer.headers["content-encoding"] === "gzip";
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks), isPacked }),
      );
      answer.on("error", () => resolve(NOTHING));
    });
    request.on("error", () => resolve(request.reusedSocket ? ask(path, reader) : NOTHING));
  });
}

/** One address may hold twenty streams. */
function addressOf(reader: number): string {
  return `127.0.0.${2 + (reader % 200)}`;
}

/** What somebody sees of the list: its mentions, in order. */
function listOf(text: string): string {
  return [...text.matchAll(/href="\/why\?of=([^"]+)"/g)].map(([, id]) => id).join(" ");
}

async function live(reader: number): Promise<void> {
  let page = await ask("/mentions", reader);
  while (page.status === 503) {
    await delay(1_000 + Math.random() * 4_000);
    page = await ask("/mentions", reader);
  }
  shown[reader] = page;
  const text = textOf(page);
  const stream = /sse-connect="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "/live";
  const part = /id="part-(work-list|list)"/.exec(text)?.[1] ?? "list";
  let [isAsking, waitsSince, isRefused] = [false, null as number | null, false];
  const fetchPart = async (since: number): Promise<void> => {
    if (isAsking) {
      waitsSince ??= since;
      return;
    }
    isAsking = true;
    const answer = await ask(`/mentions?part=${part}`, reader);
    isAsking = false;
    if (answer.status === 200) {
      shown[reader] = answer;
      shownMs.push(monotonicMs() - since);
      const next = waitsSince;
      waitsSince = null;
      if (next !== null) await fetchPart(next);
    } else if (answer.status === 503) {
      refused.parts++;
      if (isRefused) return;
      isRefused = true;
      await delay(5_000 * (1 + Math.random()));
      isRefused = false;
      await fetchPart(since);
    } else failed++;
  };
  const request = get(`${url}${stream}`, { agent: false, localAddress: addressOf(reader) }, (answer) => {
    if (answer.statusCode !== 200) {
      failed++;
      return answer.resume();
    }
    open++;
    answer.setEncoding("utf8");
    answer.on("data", (chunk: string) => {
      if (!chunk.includes("event: mentions")) return;
      events++;
      void fetchPart(monotonicMs());
    });
    return answer;
  });
  request.on("error", () => {
    failed++;
  });
}

/** All begin at the same moment, each with words of their own. */
async function search(): Promise<void> {
  for (let round = 0; !isOver; round++) {
    const startedAt = monotonicMs();
    await Promise.all(
      Array.from({ length: Number(searches) }, async (_, reader) => {
        const words = `${WORDS[(reader + round) % WORDS.length]} ${WORDS[(reader * 7 + 3) % WORDS.length]} ${reader % 10}`;
        const asked = `/mentions?${new URLSearchParams({ contains: words })}`;
        const { status } = await ask(asked, reader);
        if (status === 200) searchMs.push(monotonicMs() - startedAt);
        else if (status === 503) refused.searches++;
        else failed++;
      }),
    );
    await delay(Math.max(0, SEARCH_EVERY_MS - (monotonicMs() - startedAt)));
  }
}

process.once("disconnect", () => process.exit(0));
process.on("message", async (message) => {
  if (message === "forget") {
    shownMs.length = 0;
    searchMs.length = 0;
    [refused.parts, refused.searches, failed, events] = [0, 0, 0, 0];
    return;
  }
  // The source has ended: whoever was refused asks again meanwhile.
  isOver = true;
  await delay(15_000);
  const newest = listOf(textOf(await ask("/mentions", 0)));
  const behind = shown.filter((one) => listOf(textOf(one)) !== newest).length;
  const report: LiveReport = { shownMs, searchMs, refused, failed, open, events, behind };
  process.send?.(report, () => process.exit(0));
});
await Promise.all(Array.from({ length: Number(pages) }, (_, reader) => live(reader)));
void search();
process.send?.("begun");
