import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What goes wrong with the next call whose path (with its parameters) fits. */
export interface LineFault {
  readonly on: RegExp;
  readonly what:
    | {
        readonly answer: {
          readonly status: number;
          readonly headers?: Record<string, string>;
          readonly body: string;
        };
      }
    /** The line breaks before the source has seen the call. */
    | "drop"
    /** Half of the answer, as if that were all of it. */
    | "truncate"
    /** Half of the answer, and then the line breaks. */
    | "hang up"
    /** The call waits for this. */
    | { readonly hold: () => Promise<unknown> };
}

export interface FaultyLine {
  readonly url: string;
  readonly faults: LineFault[];
  /** Paths with their parameters, in the order in which they were called. */
  readonly calls: string[];
  close(): Promise<void>;
}

/** A line to the server at `target` that breaks on demand. */
export async function openFaultyLine(target: string): Promise<FaultyLine> {
  const faults: LineFault[] = [];
  const calls: string[] = [];
  const server = createServer((request, response) => {
    relay(request, response, { target, faults, calls }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  line: { target: string; faults: LineFault[]; calls: string[] },
): Promise<void> {
  const path = request.url ?? "/";
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  line.calls.push(path);
  const what = take(line.faults, path)?.what;
  if (what === "drop") return void response.destroy();
  if (typeof what === "object" && "answer" in what) {
    response.writeHead(what.answer.status, what.answer.headers).end(what.answer.body);
    return;
  }
  if (typeof what === "object") await what.hold();
  const { status, type, body } = await ask(line.target, path, request, Buffer.concat(chunks));
  const sent = what === "truncate" ? body.subarray(0, body.length >> 1) : body;
  response.writeHead(status, { "content-type": type, "content-length": sent.length });
  if (what === "hang up") response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  else response.end(sent);
}

async function ask(target: string, path: string, request: IncomingMessage, body: Buffer) {
  const { authorization, "content-type": contentType } = request.headers;
  const answer = await fetch(target + path, {
    method: request.method ?? "GET",
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    },
    ...(body.length === 0 ? {} : { body }),
  });
  return {
    status: answer.status,
    type: answer.headers.get("content-type") ?? "application/json",
    body: Buffer.from(await answer.arrayBuffer()),
  };
}

function take(faults: LineFault[], path: string): LineFault | undefined {
  const index = faults.findIndex((fault) => fault.on.test(path));
  return index === -1 ? undefined : faults.splice(index, 1)[0];
}
