import type { ServerResponse } from "node:http";
import { toIso } from "../../src/lib/instant.ts";
import type { FeedServer } from "./feed-server.ts";

export interface FakePost {
  readonly id: string;
  readonly content: string;
  readonly at: number;
  readonly [field: string]: unknown;
}

/** The public timelines of a Mastodon server, with the posts that are in `posts` when it is asked. */
export function serveMastodon(
  server: FeedServer,
  posts: readonly FakePost[],
  options: { readonly host?: string; readonly hasBatches?: boolean; readonly token?: string } = {},
): void {
  const { host = "social.example", hasBatches = true, token } = options;
  const answer = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const shown = ({ at, ...post }: FakePost) => ({
    ...{ uri: `https://${host}/users/ann/statuses/${post.id}`, url: `https://${host}/@ann/${post.id}` },
    ...{
      created_at: toIso(at),
      visibility: "public",
      language: "en",
      spoiler_text: "",
      in_reply_to_id: null,
    },
    account: { acct: "ann", display_name: "Ann Lee", url: `https://${host}/@ann` },
    ...{ replies_count: 1, reblogs_count: 2, favourites_count: 3, reblog: null },
    ...post,
  });
  const byId = (a: { id: string }, b: { id: string }) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1);
  server.pages.set("*", (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", server.url);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return answer(response, 401, { error: "This method requires an authenticated user" });
    if (pathname.startsWith("/api/v1/timelines/")) {
      const after = searchParams.get("min_id");
      const limit = Math.min(40, Number(searchParams.get("limit") ?? 20));
      const sorted = [...posts].sort(byId);
      const page =
        after === null
          ? sorted.slice(-limit)
          : sorted.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit);
      return answer(response, 200, page.reverse().map(shown));
    }
    if (pathname === "/api/v1/statuses") {
      if (!hasBatches) return answer(response, 404, { error: "The page does not exist" });
      const ids = searchParams.getAll("id[]");
      return answer(response, 200, posts.filter(({ id }) => ids.includes(id)).map(shown));
    }
    if (pathname === "/api/v1/instance") return answer(response, 200, { uri: host });
    const one = posts.find(({ id }) => pathname === `/api/v1/statuses/${id}`);
    return one === undefined
      ? answer(response, 404, { error: "Record not found" })
      : answer(response, 200, shown(one));
  });
}
