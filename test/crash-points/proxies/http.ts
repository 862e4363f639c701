import { createServer, request, type Server } from "node:http";
import type { Gate, Peer, Verdict } from "../gate.ts";

export interface HttpRelay {
  readonly port: number;
  cut(): void;
  close(): Promise<void>;
}

/** What a request is to be called, and whether it leaves something behind. Null: it is no step. */
export type NameCall = (
  method: string,
  path: string,
) => { readonly name: string; readonly leaves: boolean } | null;

/** A relay that sees whole requests and whole answers. */
export async function openHttpRelay(
  targetPort: () => number,
  gate: Gate,
  peer: Peer,
  nameCall: NameCall,
): Promise<HttpRelay> {
  const server: Server = createServer(async (near, answer) => {
    const path = near.url ?? "/";
    const call = nameCall(near.method ?? "GET", path);
    const step = call === null ? null : { peer, name: call.name };
    const dies = async (verdict: Verdict): Promise<boolean> => {
      if (await verdict) return false;
      answer.destroy();
      return true;
    };
    try {
      const body = await all(near);
      // Left without an answer, until the connection is cut.
      if (gate.isShut()) return;
      if (step !== null && (await dies(gate.before(step)))) return;
      const { status, headers, body: said } = await ask(targetPort(), near.method, path, near.headers, body);
      if (gate.isShut()) return;
      if (step !== null && (await dies(gate.after(step, call?.leaves === true)))) return;
      const own = Buffer.from(
        said.toString("latin1").replaceAll(`127.0.0.1:${targetPort()}`, near.headers.host ?? ""),
        "latin1",
      );
      delete headers["transfer-encoding"];
      answer.writeHead(status, { ...headers, "content-length": own.length }).end(own);
    } catch {
      answer.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function all(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

type Headers = Record<string, string | string[] | number | undefined>;

function ask(
  port: number,
  method: string | undefined,
  path: string,
  headers: Headers,
  body: Buffer,
): Promise<{ status: number; headers: Headers; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const far = request(
      { host: "127.0.0.1", port, method, path, headers: { ...headers, "accept-encoding": "identity" } },
      (answer) => {
        all(answer).then(
          (said) => resolve({ status: answer.statusCode ?? 500, headers: { ...answer.headers }, body: said }),
          reject,
        );
      },
    );
    far.on("error", reject);
    far.end(body);
  });
}
