import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readAtMost } from "../../lib/answer-body.ts";
import { boundHttpConnections, isLoopbackHost, requestBounds } from "../../lib/listening.ts";
import type { LocalInboxDeps, LocalInboxOptions, SlackInboxMessage } from "./inbox-store.ts";
import { type ButtonPress, keepAnswer, type PressResult, pressButton } from "./press-button.ts";
import { createSlackMethods, type SlackMethods } from "./slack-methods.ts";
import type { SlackAnswer } from "./slack-workspace.ts";

interface LocalSlack {
  readonly apiUrl: string;
  press(press: ButtonPress): Promise<PressResult>;
  close(): Promise<void>;
}

/** The part of Slack's Web API that posting, editing and finding messages needs, with Slack's own limits. */
export async function startLocalSlack(deps: LocalInboxDeps, options: LocalInboxOptions): Promise<LocalSlack> {
  let origin = "";
  const slack = createSlackMethods(deps, options, (id) => `${origin}/upload/${id}`);
  const answers = new Map<string, SlackInboxMessage>();
  const responseUrl = (message: SlackInboxMessage): string => {
    const id = randomBytes(18).toString("base64url");
    answers.set(id, message);
    const [oldest] = answers.keys();
    if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest);
    return `${origin}/respond/${id}`;
  };
  const take = async (request: IncomingMessage): Promise<SlackAnswer | string> => {
    const [, place, id = ""] = new URL(request.url ?? "/", "http://localhost").pathname.split("/");
    if (place !== "respond") return answer(request, options, slack);
    const message = answers.get(id);
    if (message === undefined) return NOTHING_THERE;
    await keepAnswer(slack.post, message, (await readBody(request)).toString("utf8"));
    return "ok";
  };
  const scopes = options.scopes === undefined ? {} : { "x-oauth-scopes": options.scopes.join(",") };
  const server = createServer(requestBounds(options.requestTimeoutMs), (request, response) => {
    if (!isLoopbackHost(request.headers.host)) {
      reply(response, 421, "Earshot does not answer to this host name.", {});
      return;
    }
    take(request).then(
      (result) => reply(response, result === NOTHING_THERE ? 404 : 200, result, scopes),
      (error: unknown) => {
        deps.log.error({ err: error }, "local Slack: a call failed");
        reply(response, 500, { ok: false, error: "internal_error" }, {});
      },
    );
  });
  boundHttpConnections(server, MOST_CONNECTIONS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  origin = `http://127.0.0.1:${port}`;
  return {
    apiUrl: `${origin}/api/`,
    press: (press) => pressButton({ ...deps, interactivity: options.interactivity, responseUrl }, press),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  options: LocalInboxOptions,
  { methods, upload }: SlackMethods,
): Promise<SlackAnswer | string> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, place, id = ""] = url.pathname.split("/");
  // An upload needs no token: its secret address was given to a caller with the token.
  if (place === "upload") return upload(id, await readBody(request)) ? "OK" : NOTHING_THERE;
  const name = url.pathname.replace(/^\/api\//, "");
  const method = methods.get(name);
  if (method === undefined) return { ok: false, error: "unknown_method" };
  const body = (await readBody(request)).toString("utf8");
  const fields = parseFields(body, request.headers["content-type"] ?? "", url.searchParams);
  const given = request.headers.authorization?.replace(/^Bearer /, "") ?? fields["token"];
  if (given === undefined) return { ok: false, error: "not_authed" };
  if (given !== tokenFor(name, options)) return { ok: false, error: "invalid_auth" };
  const scope = SCOPES[name];
  if (scope !== undefined && options.scopes?.includes(scope) === false)
    return { ok: false, error: "missing_scope" };
  return method(fields);
}

function tokenFor(method: string, { token, sockets }: LocalInboxOptions): string | undefined {
  return method === "apps.connections.open" ? sockets?.appToken : token;
}

/** The scopes that Slack checks and that an app may lack. */
const SCOPES: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat:write",
  "chat.update": "chat:write",
  "conversations.list": "channels:read",
  "conversations.history": "channels:history",
  "conversations.replies": "channels:history",
  "files.getUploadURLExternal": "files:write",
  "files.completeUploadExternal": "files:write",
  "users.info": "users:read",
};

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const body = await readAtMost(request, MAX_BYTES);
  if (body === null) throw new Error("body too large");
  return body;
}

/** Form fields, or the keys of a JSON body; values that are not text become JSON text, as in Slack's forms. */
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

function reply(
  response: ServerResponse,
  status: number,
  body: SlackAnswer | string,
  headers: Readonly<Record<string, string>>,
): void {
  const isText = typeof body === "string";
  const type = isText ? "text/plain; charset=utf-8" : "application/json; charset=utf-8";
  response.writeHead(status, { ...headers, "content-type": type });
  response.end(isText ? body : JSON.stringify(body));
}

const NOTHING_THERE = "there is nothing here";
/** How many interactions can still be answered. */
const MOST_ANSWERS = 1_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MOST_CONNECTIONS = 100;
