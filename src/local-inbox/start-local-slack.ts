import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { LocalInboxDeps, LocalInboxOptions } from "./local-inbox-options.ts";
import { createSlackMethods, type SlackAnswer } from "./slack-methods.ts";

export interface LocalSlack {
  readonly apiUrl: string;
  close(): Promise<void>;
}

/** The part of Slack's Web API that posting, editing and finding messages needs, with Slack's own limits. */
export async function startLocalSlack(deps: LocalInboxDeps, options: LocalInboxOptions): Promise<LocalSlack> {
  const methods = createSlackMethods(deps, options);
  const server = createServer((request, response) => {
    answer(request, options.token, methods).then(
      (result) => reply(response, 200, result),
      (error: unknown) => {
        deps.log.error({ err: error }, "local Slack: a call failed");
        reply(response, 500, { ok: false, error: "internal_error" });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.slackPort ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  token: string,
  methods: ReturnType<typeof createSlackMethods>,
): Promise<SlackAnswer> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const method = methods.get(url.pathname.replace(/^\/api\//, ""));
  if (method === undefined) return { ok: false, error: "unknown_method" };
  const body = await readBody(request);
  const fields = parseFields(body, request.headers["content-type"] ?? "", url.searchParams);
  const given = request.headers.authorization?.replace(/^Bearer /, "") ?? fields["token"];
  if (given === undefined) return { ok: false, error: "not_authed" };
  if (given !== token) return { ok: false, error: "invalid_auth" };
  return method(fields);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error("body too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Form fields, or the keys of a JSON body; what is not text there is JSON text, as Slack has it in forms. */
function parseFields(body: string, contentType: string, query: URLSearchParams): Record<string, string> {
  if (!contentType.includes("json")) {
    return { ...Object.fromEntries(query), ...Object.fromEntries(new URLSearchParams(body)) };
  }
  const parsed: unknown = JSON.parse(body === "" ? "{}" : body);
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function reply(response: ServerResponse, status: number, body: SlackAnswer): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}

const MAX_BYTES = 2 * 1024 * 1024;
