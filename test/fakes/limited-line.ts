import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { monotonicMs } from "../../src/lib/clock.ts";

type Failure = number | "away" | "hangs";

export interface LimitedLine {
  readonly url: string;
  /** When each call came, in milliseconds of one clock, and what it asked for. */
  readonly calls: { readonly at: number; readonly path: string; readonly refused: boolean }[];
  /** The most calls that came in any rolling window. */
  mostInWindow(): number;
  /** Another client uses the same account. */
  useByOthers(calls: number): void;
  /** From now on every call gets this status, with "away" a broken connection, with "hangs" nothing; null: as before. */
  failWith(failure: Failure | null): void;
  /** From now on answers to these paths are changed on their way. */
  rewrite(path: RegExp, change: (body: string) => string): void;
  close(): Promise<void>;
}

/**
 * A proxy to `target` with the rate limit of the live service: a rolling window, shared by all clients, shown in headers.
 * Null: without a limit.
 */
export async function openLimitedLine(
  target: string,
  rate: { readonly limit: number; readonly periodMs: number } | null,
): Promise<LimitedLine> {
  const { limit, periodMs } = rate ?? { limit: Number.POSITIVE_INFINITY, periodMs: 60_000 };
  let failure: Failure | null = null;
  let rewritten: { path: RegExp; change: (body: string) => string } | null = null;
  const calls: { at: number; path: string; refused: boolean }[] = [];
  const others: number[] = [];
  const usedAt = (now: number) =>
    calls.filter(({ at }) => at > now - periodMs).length + others.filter((at) => at > now - periodMs).length;
  const server = createServer((request, response) => {
    const at = monotonicMs();
    const used = usedAt(at) + 1;
    const refused = used > limit;
    calls.push({ at, path: request.url ?? "/", refused });
    if (failure === "hangs") return;
    if (failure === "away") return void request.socket.destroy();
    if (failure !== null)
      return void response.writeHead(failure).end('{"errors":[{"code":0,"message":"x"}]}');
    const headers =
      rate === null
        ? {}
        : { "x-rate-limit": `${limit}/${periodMs / 1_000}s`, "x-rate-limit-used": String(used) };
    if (refused) {
      response.writeHead(429, headers).end('{"errors":[{"code":0,"message":"rate limit exceeded"}]}');
      return;
    }
    relay(target, request).then(
      ({ status, body }) =>
        response
          .writeHead(status, { ...headers, "content-type": "application/json" })
          .end(rewritten?.path.test(request.url ?? "") ? rewritten.change(String(body)) : body),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    mostInWindow: () =>
      Math.max(
        0,
        ...calls.map((one) => calls.filter(({ at }) => at > one.at - periodMs && at <= one.at).length),
      ),
    useByOthers: (count) => {
      for (let i = 0; i < count; i++) others.push(monotonicMs());
    },
    failWith: (next) => {
      failure = next;
    },
    rewrite: (path, change) => {
      rewritten = { path, change };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function relay(target: string, request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { authorization, "content-type": contentType } = request.headers;
  const answer = await fetch(target + (request.url ?? "/"), {
    method: request.method ?? "GET",
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    },
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
}
