import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { rssDocument } from "../../fakes/feed-server.ts";

/** Feeds that misbehave when they are told to: slow, endless, huge, hostile. A process of its own. */
const MB = 1_000_000;
const item = (at: number, html: string) => ({
  guid: String(at),
  title: `News ${at}`,
  link: `http://x.example/${at}`,
  html,
});
const HUGE = rssDocument(Array.from({ length: 5_000 }, (_, at) => item(at, "acme ".repeat(180))));
const NESTED = rssDocument([item(1, "<b>".repeat(MB / 4))]);
const REPEATED = rssDocument([item(1, "&amp;".repeat(MB / 4))]);
const WORDS = rssDocument([item(1, "a".repeat(4 * MB))]);
const PEOPLE = `<rss><channel><title>x</title>${`<item><author>${"(".repeat(4_000)}</author><title>t</title></item>`.repeat(500)}</channel></rss>`;

function drip(response: ServerResponse, bytes: string, everyMs: number): void {
  response.write("<rss><channel>");
  const timer = setInterval(() => response.write(bytes), everyMs);
  response.on("close", () => clearInterval(timer));
}

const KINDS: readonly ((response: ServerResponse) => unknown)[] = [
  (response) => drip(response, " ", 500),
  (response) => drip(response, "<item><title>acme</title></item>".repeat(2_000), 5),
  (response) => response.end(HUGE),
  (response) => response.end(NESTED),
  (response) => response.end(REPEATED),
  (response) => response.end(WORDS),
  (response) => response.end(PEOPLE),
  () => {},
  (response) => response.destroy(),
  (response) => response.end(Buffer.alloc(2 * MB, 0xff)),
];

let isBad = false;
process.on("message", (how) => {
  isBad = how === "misbehave";
});

const server = createServer((request, response) => {
  const bad = KINDS[Number(request.url?.slice(1)) % KINDS.length];
  const kind = isBad ? bad : () => response.end(rssDocument([item(1, "acme")]));
  response.setHeader("content-type", "application/rss+xml");
  kind?.(response);
});
process.once("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
