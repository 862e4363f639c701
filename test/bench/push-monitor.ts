import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import type { PushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Closing } from "../../src/lib/closing.ts";
import { startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES } from "../../src/monitor/roles.ts";

export const TOKEN = "a-token-of-sixteen";

/** Earshot with a push feed and a webhook, as `earshot start` has it in one process, without the console. */
export async function startPushMonitor(
  closing: Closing,
  {
    databaseUrl,
    vendorUrl,
    queries = 1,
    pollEvery = "1m",
  }: {
    readonly databaseUrl: string;
    readonly vendorUrl: string;
    readonly queries?: number;
    readonly pollEvery?: string;
  },
): Promise<PushEndpoint> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-rules-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, "urgent.yaml"),
    "title: Urgent\ndescription: Somebody says urgent.\nseverity: critical\nwhen: { keyword: urgent }\ngroupBy: author\n",
  );
  const config = await parseConfig({
    listen: {
      queries: Array.from({ length: queries }, (_, n) =>
        n === 0 ? { name: "Acme", text: "acme" } : { name: `Brand ${n}`, text: `brand${n}` },
      ),
      feeds: [{ kind: "push", token: TOKEN }],
      pollEvery,
    },
    receivers: [{ name: "pager", kind: "webhook", url: vendorUrl, allowPrivateAddress: true }],
    routes: [{ receivers: ["pager"], groupWait: "0s" }],
    rules: folder,
  });
  const log = pino({ level: "error" }, pino.destination(2));
  const clock = systemClock;
  const listening = await withListening(config, { databaseUrl, fetches: true, clock, log, port: 0 }, closing);
  if (listening.push === null) throw new Error("there is no push feed");
  const earshot = await startEarshot({
    config: listening.configOf(config),
    ...listening.forMonitor,
    databaseUrl,
    queue: { kind: "postgres", url: databaseUrl, schema: "earshot_queue" },
    clock,
    log,
    roles: ROLES,
  });
  closing.add(earshot.stop);
  return listening.push;
}
