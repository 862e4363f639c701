import { openLocalInbox } from "#console";
import { type BackendOptions, createSettingStore, openDatabase, startEarshot } from "#monitor";
import { createScaledClock, systemClock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { crisisIn, type Demo, demoConfig, readWorld } from "./demo.ts";

/** What the console of a demo has to know of it, where it is a process of its own. */
export interface DemoConsoleOrder {
  readonly kind: "demo";
  readonly databaseUrl: string;
  readonly queue: BackendOptions;
  readonly apiUrl: string;
  /** Of the demo's account. */
  readonly password: string;
  /** The demo's clock at a moment of the machine's. */
  readonly clock: { readonly at: Instant; readonly wallAt: Instant; readonly speed: number };
  /** The first port is only a wish. */
  readonly tryNextPort: boolean;
  /** The configuration that its page may write. */
  readonly configFile: string;
}

/** What the console shows of a demo. */
export type ShownDemo = Pick<Demo, "clock" | "earshot" | "receivers" | "crisis"> & {
  readonly press: Demo["local"]["press"];
};

/**
 * What the console shows of a demo that another process runs: the same rules on the same tables. It works on no job. Its
 * Inbox has servers of its own, for clicks on buttons.
 */
export async function openShownDemo(
  order: DemoConsoleOrder,
  parts: { readonly log: Logger; readonly signal: AbortSignal; readonly consoleUrl: () => string | null },
  closing: Closing,
): Promise<ShownDemo> {
  const { databaseUrl, queue, apiUrl, password } = order;
  const { log, signal, consoleUrl } = parts;
  const { at, wallAt, speed } = order.clock;
  const clock = createScaledClock({ startAt: at + (systemClock.now() - wallAt) * speed, speed });
  const onError = (error: Error) =>
    log.warn({ error: describeError(error) }, "a database connection of the demo broke");
  const book = openDatabase({ url: databaseUrl, connections: 1, onError });
  closing.add(book.close);
  const world = await readWorld(createSettingStore(book.db));
  const inbox = await openLocalInbox({ databaseUrl, clock, log, consoleUrl }, closing);
  const { slackApiUrl, smtp, slackToken, signingSecret, press } = inbox;
  const config = await demoConfig(
    { apiUrl, slackApiUrl, smtp, secrets: { password, slackToken, signingSecret } },
    { rules: shippedFolder("rules"), templates: shippedFolder("templates") },
  );
  const earshot = await startEarshot({
    ...{ config, databaseUrl, queue, clock, log, signal },
    roles: [],
    checksHealth: false,
    consoleUrl,
  });
  closing.add(earshot.stop);
  return {
    ...{ clock, earshot, receivers: config.receivers, press },
    crisis: () => crisisIn(world, clock.now()),
  };
}
