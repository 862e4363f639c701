import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import { boundHttpConnections, requestBounds } from "../lib/listening.ts";
import { type ConsoleSettings, readTls } from "./common/settings.ts";
import { addressOf, KEEP_ALIVE_MS, mostConnections } from "./server.ts";

/** Answers a request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Holds the port and the connections of the readers, while the console behind them may be replaced. */
export interface Front {
  /** Where it answers on this machine. */
  readonly url: string;
  /** Whether a console with these settings can stand behind it, without another port. */
  fits(settings: ConsoleSettings): boolean;
  /** From now on, requests go to this console. */
  serve(answer: Answer, settings: ConsoleSettings): void;
  close(): Promise<void>;
}

/** Listens on the address of these settings. Rejects if it is in use. */
export async function openFront(settings: ConsoleSettings, first: Answer): Promise<Front> {
  const { host, port } = settings;
  let answer = first;
  const bounds = { ...requestBounds(), keepAliveTimeout: KEEP_ALIVE_MS };
  const tls = readTls(settings);
  const take: Answer = (request, response) => answer(request, response);
  const server =
    tls === null ? createHttpServer(bounds, take) : createHttpsServer({ ...bounds, ...tls }, take);
  boundHttpConnections(server, mostConnections());
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: addressOf(server, settings),
    fits: (settings) =>
      settings.host === host && settings.port === port && (settings.tls === undefined) === (tls === null),
    serve: (next, settings) => {
      answer = next;
      const renewed = readTls(settings);
      if (renewed !== null && tls !== null) (server as HttpsServer).setSecureContext(renewed);
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
