import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import { monotonicMs } from "../../src/lib/clock.ts";

/**
 * The longest time between two answers while `work` runs, in milliseconds: of `url`, which has to be served by this
 * thread, or of a small server of its own. Where the system says it (Linux), only time counts in which this thread used
 * the processor: a busy machine is no fault.
 */
export async function worstAnswerWhile(work: () => Promise<unknown>, url?: string): Promise<number> {
  const server = url === undefined ? await startServer() : null;
  const address = url ?? server?.url ?? "";
  let worst = 0;
  let isOver = false;
  // What the first question loads is none of the work's time.
  await ask(address);
  let last = now();
  const asking = (async () => {
    // The last question begins when the work is over, so that what held the thread at its end counts.
    for (let isLast = false; !isLast; ) {
      isLast = isOver;
      await ask(address);
      const answered = now();
      const took = answered.clock - last.clock;
      const used = answered.used === null || last.used === null ? took : answered.used - last.used;
      worst = Math.max(worst, Math.min(took, used));
      last = answered;
      await delay(PAUSE_MS);
    }
  })();
  asking.catch(() => {});
  try {
    await work();
  } finally {
    isOver = true;
    await asking;
    server?.close();
  }
  return worst;
}

/** Asking takes the thread some time, too: not more than needed. */
const PAUSE_MS = 5;

async function ask(url: string): Promise<void> {
  // A connection of its own: one that is kept is closed at its end while this thread is held for seconds.
  const answer = await request(url, { reset: true });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
}

async function startServer(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** `used`: processor time of this thread, in steps of 10 ms; null where the system does not say it. */
function now(): { readonly clock: number; readonly used: number | null } {
  const clock = monotonicMs();
  try {
    const stat = readFileSync("/proc/thread-self/stat", "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { clock, used: (Number(fields[11]) + Number(fields[12])) * 10 };
  } catch {
    return { clock, used: null };
  }
}
