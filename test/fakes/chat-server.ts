import { createServer, type ServerResponse } from "node:http";

/** A question as it arrived. */
export interface ChatCall {
  readonly authorization: string | undefined;
  readonly model: string;
  readonly system: string;
  readonly user: string;
  /** The texts between the marks that are to be judged, in their order. */
  readonly texts: readonly { readonly mark: string; readonly text: string }[];
}

/** What the server does with a call. A string is what the model says. */
type ChatReply = string | ((response: ServerResponse, call: ChatCall) => void);

export interface FakeChatServer {
  /** With `/v1`, as it is configured. */
  readonly endpoint: string;
  readonly calls: ChatCall[];
  /** How calls are answered from now on. */
  reply(how: (call: ChatCall) => ChatReply): void;
  close(): Promise<void>;
}

/** A server that answers as OpenAI's chat completions do, and in all the ways in which such servers go wrong. */
export async function startFakeChatServer(): Promise<FakeChatServer> {
  const calls: ChatCall[] = [];
  let replyTo: (call: ChatCall) => ChatReply = eachWith(() => "neutral");
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      response.writeHead(404).end();
      return;
    }
    const { model, messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
      model: string;
      messages: readonly { role: string; content: string }[];
    };
    const said = (role: string) => messages.find((one) => one.role === role)?.content ?? "";
    const user = said("user");
    const { authorization } = request.headers;
    const call = { authorization, model, system: said("system"), user, texts: textsIn(user) };
    calls.push(call);
    const reply = replyTo(call);
    if (typeof reply === "string") completion(response, reply);
    else reply(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    endpoint: `http://127.0.0.1:${port}/v1`,
    calls,
    reply: (how) => {
      replyTo = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A model that does as it is told: one line for each text. */
export function eachWith(answer: (text: string) => string): (call: ChatCall) => string {
  return ({ texts }) => texts.map(({ mark, text }) => `${mark} ${answer(text)}`).join("\n");
}

export function completion(response: ServerResponse, content: string): void {
  response.writeHead(200, { "content-type": "application/json" });
  const message = { role: "assistant", content };
  response.end(JSON.stringify({ id: "1", object: "chat.completion", choices: [{ index: 0, message }] }));
}

function textsIn(user: string): { mark: string; text: string }[] {
  return [...user.matchAll(/^<([0-9a-f]{10})>\n([\s\S]*?)\n<\/\1>$/gm)].map(([, mark = "", text = ""]) => ({
    mark,
    text,
  }));
}
