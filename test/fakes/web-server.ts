import { createServer } from "node:http";

export interface FakeWebServer {
  readonly url: string;
  readonly requests: { headers: Record<string, string | string[] | undefined>; body: string }[];
  /** What the next requests are answered with; 200 when empty. `drop` breaks the connection. */
  readonly answers: ({ status: number; headers?: Record<string, string> } | { drop: true })[];
  close(): Promise<void>;
}

/** A server that accepts webhooks. */
export async function startFakeWebServer(): Promise<FakeWebServer> {
  const requests: FakeWebServer["requests"] = [];
  const answers: FakeWebServer["answers"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    const answer = answers.shift() ?? { status: 200 };
    if ("drop" in answer) response.destroy();
    else response.writeHead(answer.status, answer.headers).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook/very-secret-path`,
    requests,
    answers,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
