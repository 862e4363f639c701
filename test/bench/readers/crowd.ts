import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../../../src/lib/clock.ts";

/** Readers and streams of a console, in a process of their own: what they cost is not the console's. */
const [, , url = "", readers = "0", streams = "0"] = process.argv;

const PAGES = ["/", "/alerts", "/mentions", "/health", "/rules", "/insights"];
/** People read for a while. */
const READS_MS = 2_000;

export interface CrowdReport {
  /** Of pages that were made, in milliseconds. */
  readonly pagesMs: readonly number[];
  readonly refused: number;
  readonly failed: number;
  readonly streams: number;
  readonly events: number;
}

const pagesMs: number[] = [];
let [refused, failed, open, events] = [0, 0, 0, 0];
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

function ask(path: string): Promise<number> {
  return new Promise((resolve) => {
    const request = get(`${url}${path}`, { agent, headers: { accept: "text/html" } }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", () => resolve(0));
    });
    request.on("error", () => resolve(0));
  });
}

async function read(reader: number): Promise<void> {
  await delay((READS_MS * reader) / Number(readers));
  for (let at = reader; ; at++) {
    const startedAt = monotonicMs();
    const status = await ask(PAGES[at % PAGES.length] ?? "/");
    if (status === 200) pagesMs.push(monotonicMs() - startedAt);
    else if (status === 503) refused++;
    else failed++;
    await delay(READS_MS);
  }
}

/** One address may hold a tenth of the streams. */
function follow(stream: number): void {
  const localAddress = `127.0.0.${2 + (stream % 20)}`;
  const request = get(`${url}/live`, { agent: false, localAddress }, (answer) => {
    if (answer.statusCode !== 200) return answer.resume();
    open++;
    answer.on("data", () => {
      events++;
    });
    return answer;
  });
  request.on("error", () => {});
}

process.once("disconnect", () => process.exit(0));
process.once("message", () => {
  const report: CrowdReport = { pagesMs, refused, failed, streams: open, events };
  process.send?.(report, () => process.exit(0));
});
for (let stream = 0; stream < Number(streams); stream++) follow(stream);
for (let reader = 0; reader < Number(readers); reader++) void read(reader);
process.send?.("begun");
