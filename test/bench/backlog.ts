import { parseArgs } from "node:util";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import type { PollParts } from "../../src/monitor/polling/poll-parts.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { createLine } from "./line.ts";
import { startPageServer } from "./pages.ts";

/**
 * One poll of a backlog through the whole pipeline: fetch, judge, store. Prints the memory meanwhile: it must not grow
 * with the mentions that were read. See README.md.
 */
const { values } = parseArgs({
  options: {
    mentions: { type: "string", default: "1000000" },
    alerts: { type: "boolean", default: false },
  },
});
const PAGE_SIZE = 5_000;
const LINES = 20;
const pages = Math.max(1, Math.round(Number(values.mentions) / PAGE_SIZE));

const closing = createClosing();
try {
  const server = await startPageServer({ pages, pageSize: PAGE_SIZE, isLazy: true });
  closing.add(server.close);
  const database = await openBenchDatabase(closing);
  const line = await createLine(database, server, { history: !values.alerts });
  closing.add(line.close);
  const memory = watchMemory();
  closing.add(async () => memory.stop());
  console.log(`a backlog of ${server.mentions.toLocaleString("en")} mentions, in pages of ${PAGE_SIZE}`);
  const startedAt = monotonicMs();
  let read = 0;
  const printed = new Set<number>();
  const { live } = line.parts.source.clients;
  const client: typeof live = {
    mentionsPage: async (...asked) => {
      const page = await live.mentionsPage(...asked);
      read += page.mentions.length;
      const part = Math.floor((read * LINES) / server.mentions);
      if (!printed.has(part)) printLine(read, startedAt, memory.sample());
      printed.add(part);
      return page;
    },
  };
  const clients = { crisis: client, live: client, background: client };
  const counting: PollParts = { ...line.parts, source: { ...line.parts.source, clients } };
  const added = await line.run(counting);
  const seconds = (monotonicMs() - startedAt) / 1_000;
  await line.check();
  const { peakMb, early, late } = memory.sum();
  console.log(`${await line.stored()}`);
  console.log(
    `${added.toLocaleString("en")} new mentions in ${seconds.toFixed(0)} s: ${Math.round(added / seconds).toLocaleString("en")} a second`,
  );
  console.log(
    `memory: peak ${peakMb} MB; highest of the first fifth ${early} MB, of the last ${late} MB: ${(late / early).toFixed(2)} times`,
  );
} finally {
  await closing.close();
}

function printLine(count: number, startedAt: number, rssMb: number): void {
  const seconds = (monotonicMs() - startedAt) / 1_000;
  console.log(
    `${count.toLocaleString("en").padStart(11)} mentions  ${seconds.toFixed(0).padStart(5)} s  ${String(rssMb).padStart(5)} MB`,
  );
}

/** The resident size of this process, four times a second. */
function watchMemory() {
  const samples: number[] = [];
  const sample = (): number => {
    const mb = Math.round(process.memoryUsage.rss() / 1024 / 1024);
    samples.push(mb);
    return mb;
  };
  const timer = setInterval(sample, 250);
  return {
    sample,
    stop: () => clearInterval(timer),
    sum: () => {
      const fifth = Math.max(1, Math.floor(samples.length / 5));
      return {
        peakMb: Math.max(...samples),
        early: Math.max(...samples.slice(0, fifth)),
        late: Math.max(...samples.slice(-fifth)),
      };
    },
  };
}
