import { createServer } from "node:http";
import { connect } from "node:net";

export interface FakeProxy {
  readonly url: string;
  /** What it was asked to connect to, as it was asked: an address or a name, with a port. */
  readonly asked: string[];
  /** Where a tunnel really ends, by what was asked for; else there. */
  readonly routes: Map<string, string>;
  close(): Promise<void>;
}

/** A proxy that opens tunnels (CONNECT), for whoever shows the login if there is one. */
export async function startProxy(login?: {
  readonly user: string;
  readonly password: string;
}): Promise<FakeProxy> {
  const asked: string[] = [];
  const routes: FakeProxy["routes"] = new Map();
  const wanted =
    login === undefined
      ? undefined
      : `Basic ${Buffer.from(`${login.user}:${login.password}`).toString("base64")}`;
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on("connect", (request, socket) => {
    const authority = request.url ?? "";
    asked.push(authority);
    socket.on("error", () => {});
    if (wanted !== undefined && request.headers["proxy-authorization"] !== wanted) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const { hostname, port } = new URL(`http://${routes.get(authority) ?? authority}`);
    const target = connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ""), () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    socket.on("close", () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    asked,
    routes,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
