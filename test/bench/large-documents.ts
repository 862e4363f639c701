import { parseArgs } from "node:util";
import { openReader } from "../../src/feeds/run/open-reader.ts";
import { monotonicMs } from "../../src/lib/clock.ts";

// Documents of 50 MB, one after the other, through the threads that read what strangers wrote: memory of the process, which
// has the threads in it, after each and at its height. It ends with a fault if memory grows from round to round.

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "6" }, megabytes: { type: "string", default: "50" } },
});
const rounds = Number(values.rounds);
const bytes = Number(values.megabytes) * 1_000_000;

const item = (n: number, characters: number) =>
  `<item><guid>${n}</guid><title>Item ${n}</title><link>https://blog.example/${n}</link><pubDate>${new Date(
    1_790_000_000_000 + n * 1_000,
  ).toUTCString()}</pubDate><description>${"A kettle that whistles &amp; steams. ".repeat(Math.ceil(characters / 36))}</description></item>`;

function documentOf(characters: number): Buffer {
  const parts = ["<rss version='2.0'><channel><title>Blog</title>"];
  let size = 0;
  for (let n = 0; size < bytes - 100; n++) {
    const one = item(n, characters);
    size += one.length;
    parts.push(one);
  }
  return Buffer.from(`${parts.join("")}</channel></rss>`);
}

const reader = openReader();
const signal = new AbortController().signal;
const megabytes = (size: number) => Math.round(size / 1e6);
let height = 0;
const timer = setInterval(() => {
  height = Math.max(height, process.memoryUsage.rss());
}, 20);

for (const characters of [100, 2_000, 40_000]) {
  const document = documentOf(characters);
  console.log(`${megabytes(document.length)} MB of items with about ${characters} characters:`);
  const after: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    height = 0;
    const began = monotonicMs();
    const cpu = process.cpuUsage();
    const fetched = {
      ...{ status: 200, url: "https://blog.example/feed", header: () => null },
      bytes: new Uint8Array(document),
    };
    const answer = await reader.readAnswer(fetched, "document", signal);
    const used = process.cpuUsage(cpu);
    globalThis.gc?.();
    after.push(process.memoryUsage.rss());
    console.log(
      `  ${round}: ${answer.document?.items.length} items, ${answer.document?.leftOut} older left out, ${((used.user + used.system) / 1e6).toFixed(1)} s processor, ${((monotonicMs() - began) / 1e3).toFixed(1)} s; height ${megabytes(height)} MB, afterwards ${megabytes(after.at(-1) ?? 0)} MB`,
    );
  }
  const [second = 0, last = 0] = [after[1], after.at(-1)];
  const growth = last / second;
  console.log(`  memory after the last, in parts of that after the second: ${growth.toFixed(2)}`);
  if (growth > 1.3) throw new Error("memory grows with the documents that were read");
}
clearInterval(timer);
await reader.close();
