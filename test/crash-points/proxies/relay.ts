import { connect, createServer, type Socket } from "node:net";
import type { Gate, Step } from "../gate.ts";

/** What decides about the bytes that pass. */
type Passing = Pick<Gate, "isShut" | "before" | "after">;

/** A piece of what the worker says, whole in its protocol; `step` where an answer to it is a moment to look at. */
export interface RequestChunk {
  readonly bytes: Buffer;
  readonly step: Step | null;
}

/** A piece of what the other side says. `ends`: the answer to the oldest open step is complete with it. */
export interface AnswerChunk {
  readonly bytes: Buffer;
  readonly ends: { readonly leaves: boolean } | null;
}

/** One connection, read in both directions. */
export interface Reader {
  said(chunk: Buffer): readonly RequestChunk[];
  answered(chunk: Buffer): readonly AnswerChunk[];
}

export interface Relay {
  readonly port: number;
  /** Breaks every connection: the process behind them is dead. */
  cut(): void;
  close(): Promise<void>;
}

/** A relay on a port of its own, in front of a server on this machine. What it does not understand it lets through. */
export async function openRelay(targetPort: () => number, gate: Passing, read: () => Reader): Promise<Relay> {
  const connections = new Set<() => void>();
  const server = createServer({ noDelay: true }, (near) => {
    if (gate.isShut()) {
      const cut = () => void near.destroy();
      connections.add(cut);
      near.on("error", cut).on("close", () => connections.delete(cut));
      return;
    }
    const far = connect({ host: "127.0.0.1", port: targetPort(), noDelay: true });
    const cut = (): void => {
      near.destroy();
      far.destroy();
      connections.delete(cut);
    };
    connections.add(cut);
    for (const socket of [near, far]) socket.on("error", cut).on("close", cut);
    relayBetween(near, far, gate, read(), cut);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut: () => {
      for (const cut of [...connections]) cut();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const cut of [...connections]) cut();
      }),
  };
}

function relayBetween(near: Socket, far: Socket, gate: Passing, reader: Reader, cut: () => void): void {
  /** Steps that were asked and are not answered yet, oldest first. */
  const open: Step[] = [];
  const there = inOrder(cut);
  const back = inOrder(cut);
  near.on("data", (chunk) => {
    if (gate.isShut()) return;
    for (const { bytes, step } of reader.said(chunk))
      there(
        () => (step === null ? true : gate.before(step)),
        () => {
          if (step !== null) open.push(step);
          far.write(bytes);
        },
      );
  });
  far.on("data", (chunk) => {
    if (gate.isShut()) return;
    for (const { bytes, ends } of reader.answered(chunk))
      back(
        () => {
          const step = ends === null ? undefined : open.shift();
          return step === undefined || ends === null ? true : gate.after(step, ends.leaves);
        },
        () => near.write(bytes),
      );
  });
}

/** One after the other, also where the gate takes its time; nothing any more once it said no. */
function inOrder(cut: () => void) {
  let waiting: Promise<void> | null = null;
  let isDead = false;
  return (ask: () => boolean | Promise<boolean>, go: () => unknown): void => {
    const settle = (goes: boolean): void => {
      if (goes) go();
      else {
        isDead = true;
        cut();
      }
    };
    const run = (): void | Promise<void> => {
      if (isDead) return;
      const verdict = ask();
      return typeof verdict === "boolean" ? settle(verdict) : verdict.then(settle);
    };
    if (waiting === null) {
      const after = run();
      if (after !== undefined) track(after);
    } else track(waiting.then(run));
  };

  function track(work: Promise<void>): void {
    const tracked: Promise<void> = work.then(() => {
      if (waiting === tracked) waiting = null;
    });
    waiting = tracked;
  }
}
