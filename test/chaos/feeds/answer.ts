import type { ServerResponse } from "node:http";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Item } from "./items.ts";

/** Sends what was answered, or what the fault makes of it. */
export function answer(
  response: ServerResponse,
  type: string,
  body: string,
  fault: string | null,
  hanging: Set<{ destroy(): unknown }>,
): void {
  const half = body.slice(0, Math.floor(body.length / 2));
  switch (fault) {
    case "500":
      return void response.writeHead(500).end("no");
    case "429":
      return void response.writeHead(429, { "retry-after": "2" }).end();
    case "web page":
      return void response
        .writeHead(200, { "content-type": "text/html" })
        .end("<!doctype html><p>Log in</p>");
    case "half":
      return void response.writeHead(200, { "content-type": type }).end(half);
    case "charset":
      return void response
        .writeHead(200, { "content-type": `${type}; charset=utf-8` })
        .end(Buffer.from(body, "latin1"));
    case "silence":
      return void hanging.add(response);
    case "cut":
      response.writeHead(200, {
        "content-type": type,
        "content-length": String(Buffer.byteLength(body) + 9),
      });
      return void response.write(half, () => response.destroy());
    default:
      return void response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  }
}

/** An item as old as its site, which always stands there: a document of unknown items alone has turned over. */
export const WELCOME = { n: 0, author: "the blog", texts: ["Welcome"] };

export const PUBLISHED = new Date(systemClock.now()).toUTCString();

/** `links`: what the document says of itself, behind its items. */
export function rssOf(items: readonly Pick<Item, "n" | "author" | "texts">[], links = ""): string {
  const shown = items.map(
    ({ n, author, texts }) => `<item><title>News ${n}</title><link>https://blog.example/${n}</link>
<guid isPermaLink="false">${n}</guid><dc:creator>${author}</dc:creator><pubDate>${PUBLISHED}</pubDate>
<description>${texts.at(-1)}</description></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>A blog</title>${shown.join("\n")}${links}</channel></rss>`;
}
