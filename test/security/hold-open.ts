import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Held {
  readonly socket: Socket;
  /** What the server has answered so far. */
  answer(): string;
  /** Settles when the server has let go of the connection. */
  readonly gone: Promise<void>;
}

/**
 * Sends a beginning and then nothing more, and never closes its own half: who waits for that keeps the connection.
 * What the server does with it, a reset included, is for the test to look at.
 */
export function holdOpen(port: number, beginning: string): Held {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  socket.on("data", (part) => {
    text += part.toString("latin1");
  });
  socket.on("error", () => {});
  const gone = new Promise<void>((resolve) => {
    socket.once("end", resolve);
    socket.once("close", () => resolve());
  });
  if (beginning !== "") socket.write(beginning);
  return { socket, answer: () => text, gone };
}

/** Many at once, all of them connected. */
export async function holdMany(port: number, beginning: string, n: number): Promise<readonly Held[]> {
  const held: Held[] = [];
  while (held.length < n) {
    const next = Array.from({ length: Math.min(200, n - held.length) }, () => holdOpen(port, beginning));
    await Promise.all(next.map(({ socket }) => (socket.connecting ? once(socket, "connect") : null)));
    held.push(...next);
  }
  return held;
}

export function letGo(held: readonly Held[]): void {
  for (const { socket } of held) socket.destroy();
}

export const portOf = (url: string): number => Number(new URL(url).port);
