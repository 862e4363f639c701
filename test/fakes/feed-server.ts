import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What a path of the server answers. A function decides for each request. */
export type FeedAnswer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
      /** Ends the connection after this many bytes of the body. */
      readonly breakAfter?: number;
      /** Never ends the answer. */
      readonly hangs?: boolean;
    }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface FeedServer {
  readonly url: string;
  /** Answers by path with its parameters, else by path alone, else by `*`; another path is 404. */
  readonly pages: Map<string, FeedAnswer | (() => FeedAnswer)>;
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  close(): Promise<void>;
}

/** Does the work with a server of feeds, and closes it. */
export async function withFeedServer(work: (server: FeedServer) => Promise<void>): Promise<void> {
  const server = await startFeedServer();
  await work(server).finally(server.close);
}

/** A small server of feeds, which does what it is told, also badly. */
export async function startFeedServer(): Promise<FeedServer> {
  const pages: FeedServer["pages"] = new Map();
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push({ path, headers: request.headers });
    const page = pages.get(path) ?? pages.get(path.split("?")[0] ?? path) ?? pages.get("*");
    const answer: FeedAnswer | undefined =
      typeof page === "function" && page.length === 0 ? (page as () => FeedAnswer)() : (page as FeedAnswer);
    if (answer === undefined) return response.writeHead(404).end("not here");
    if (typeof answer === "function") return answer(request, response);
    const body = Buffer.from(answer.body ?? "");
    response.writeHead(answer.status ?? 200, {
      "content-type": "application/rss+xml",
      ...(answer.breakAfter === undefined ? {} : { "content-length": String(body.length) }),
      ...answer.headers,
    });
    if (answer.hangs === true) return response.write(body);
    if (answer.breakAfter === undefined) return response.end(body);
    response.write(body.subarray(0, answer.breakAfter), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    pages,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export interface RssItem {
  readonly guid?: string | null;
  readonly title?: string;
  readonly link?: string;
  readonly html?: string;
  readonly date?: string;
}

/** An RSS document. `guid: null` leaves it out. */
export function rssDocument(items: readonly RssItem[], title = "A blog"): string {
  return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>${title}</title>${items.map(itemOf).join("\n")}</channel></rss>`;
}

function itemOf({ guid, title, link, html, date }: RssItem): string {
  return `<item>${title === undefined ? "" : `<title>${title}</title>`}${link === undefined ? "" : `<link>${link}</link>`}${
    guid == null ? "" : `<guid isPermaLink="false">${guid}</guid>`
  }${date === undefined ? "" : `<pubDate>${date}</pubDate>`}${html === undefined ? "" : `<description><![CDATA[${html}]]></description>`}</item>`;
}
