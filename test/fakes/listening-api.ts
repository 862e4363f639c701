import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query string as it came, undecoded. */
  readonly rawQuery: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** How one data call is answered. */
export type Reply = (response: ServerResponse) => void;

export interface FakeListeningApi {
  readonly baseUrl: string;
  /** The token of the last login, null before one or after `expireToken`. */
  readonly token: () => string | null;
  readonly logins: SeenRequest[];
  /** Data calls with a good token. */
  readonly calls: SeenRequest[];
  /** Data calls that were refused for their token. */
  readonly refused: SeenRequest[];
  /** What the next data calls get, in order. A call without a reply gets a 500 that says so. */
  reply(...replies: Reply[]): void;
  /** What the next logins get instead of a token. */
  replyToLogin(...replies: Reply[]): void;
  expireToken(): void;
  /** Logins go on giving tokens, and every call refuses them. */
  refuseTokens(): void;
  /** `expires_in` of the tokens to come. */
  setTokenLifetime(seconds: number): void;
  close(): Promise<void>;
}

/**
 * A small real server in place of the vendor, for tests of the client: it checks tokens, remembers what it
 * was asked, and answers from a script of good pages and faults. It knows no mentions of its own.
 */
export async function startFakeListeningApi(): Promise<FakeListeningApi> {
  const script: Reply[] = [];
  const loginScript: Reply[] = [];
  const logins: SeenRequest[] = [];
  const calls: SeenRequest[] = [];
  const refused: SeenRequest[] = [];
  let token: string | null = null;
  let refusing = false;
  let lifetime = 31_535_999;

  const server = createServer(async (request, response) => {
    const seen = await see(request);
    if (seen.path === "/oauth/token") {
      logins.push(seen);
      const scripted = loginScript.shift();
      if (scripted !== undefined) return scripted(response);
      token = `token-${logins.length}-secret`;
      return json({
        access_token: token,
        token_type: "bearer",
        expires_in: lifetime,
        scope: "read trust write",
      })(response);
    }
    const given = seen.headers.authorization ?? `bearer ${seen.query.get("access_token")}`;
    if (refusing || token === null || given !== `bearer ${token}`) {
      refused.push(seen);
      const said = {
        error: "unauthorized",
        error_description: `Invalid access token: ${given}`,
      };
      return json(said, { status: 401 })(response);
    }
    calls.push(seen);
    const reply = script.shift() ?? json({ error: "the script has no reply left" }, { status: 500 });
    reply(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: () => token,
    logins,
    calls,
    refused,
    reply: (...replies) => {
      script.push(...replies);
    },
    replyToLogin: (...replies) => {
      loginScript.push(...replies);
    },
    expireToken: () => {
      token = null;
    },
    refuseTokens: () => {
      refusing = true;
    },
    setTokenLifetime: (seconds) => {
      lifetime = seconds;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface ReplyOptions {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly encoding?: "gzip" | "deflate" | "raw deflate" | "br";
}

const ENCODERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  "raw deflate": deflateRawSync,
  br: brotliCompressSync,
};

export function json(value: unknown, options: ReplyOptions = {}): Reply {
  return bytes(JSON.stringify(value), {
    ...options,
    headers: { "content-type": "application/json", ...options.headers },
  });
}

export function bytes(body: string | Buffer, options: ReplyOptions = {}): Reply {
  return (response) => {
    const plain = Buffer.from(body);
    const sent = options.encoding === undefined ? plain : ENCODERS[options.encoding](plain);
    const coding =
      options.encoding === undefined ? {} : { "content-encoding": options.encoding.replace("raw ", "") };
    response.writeHead(options.status ?? 200, {
      ...coding,
      "content-length": sent.length,
      ...options.headers,
    });
    response.end(sent);
  };
}

/** The way of a gateway: HTML, whatever was asked for. */
export function html(status: number): Reply {
  return bytes("<html><body><h1>Bad Gateway</h1></body></html>", {
    status,
    headers: { "content-type": "text/html" },
  });
}

/** The same body without its length, in chunks. */
export function chunked(body: string): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(body.slice(0, body.length >> 1));
    response.end(body.slice(body.length >> 1));
  };
}

/** Announces the whole body, sends a part, and hangs up. */
export function hangUpAfter(body: string, sent: number): Reply {
  return (response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.write(body.slice(0, sent), () => response.destroy());
  };
}

/** Hangs up without a word. */
export const dropped: Reply = (response) => response.destroy();

/** Never answers. */
export const silent: Reply = () => undefined;

/** Headers at once, then nothing. */
export const stalled: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": 1_000 });
  response.write("{");
};

async function see(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? "/", "http://fake");
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    rawQuery: url.search,
    headers: request.headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
