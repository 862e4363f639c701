import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import { monotonicMs } from "../../src/lib/clock.ts";

/** Asks a small server of this process again and again while `work` runs. Gives the longest wait, in milliseconds. */
export async function worstAnswerWhile(work: () => Promise<unknown>): Promise<number> {
  const server = createServer((_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
  let worst = 0;
  const done = new AbortController();
  const asking = (async () => {
    while (!done.signal.aborted) {
      const from = monotonicMs();
      await (await request(url)).body.text();
      worst = Math.max(worst, monotonicMs() - from);
      await delay(10);
    }
  })();
  try {
    await work();
  } finally {
    done.abort();
    await asking;
    server.closeAllConnections();
    server.close();
  }
  return worst;
}
