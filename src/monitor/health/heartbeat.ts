import { type Agent, request } from "undici";
import { z } from "zod";
import { Duration } from "../../lib/duration.ts";
import { codeOf } from "../../lib/errors.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { type Instant, SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { createAgent } from "../../lib/public-agent.ts";
import type { Stores } from "../store/stores.ts";
import type { Heartbeat } from "./check-heartbeat.ts";

/** `heartbeat` in `earshot.yaml`: an address that is called only while the whole pipeline works. */
export const HeartbeatConfig = z.strictObject({
  url: HttpAddress.meta({
    // It identifies us to the service.
    writeOnly: true,
    description: "Address that is called. A secret: it is never logged or shown.",
  }),
  allowPrivateAddress: z
    .boolean()
    .default(false)
    .describe("Whether the address may lead into your own network, or to this machine."),
  every: Duration.refine((ms) => ms >= 10 * SECOND, { error: "at least 10s" })
    .prefault("1m")
    .describe("How often it is called. 10s at least."),
});
export type HeartbeatConfig = z.output<typeof HeartbeatConfig>;

/** The heartbeat's state, for the console and the doctor. Stored in the settings under HEARTBEAT_KEY. */
export type HeartbeatState = Heartbeat & {
  readonly at: Instant;
  /** Answer of the last call: `200`, or why there was none. Null before the first. */
  readonly answer?: string | null;
  /** False: the pipeline works, but no address is configured. */
  readonly configured?: boolean;
};

export const HEARTBEAT_KEY = "heartbeat";

/** Calls the address when it is due and the pipeline works, once for all processes. Stores the result. */
export async function beat(
  config: HeartbeatConfig | undefined,
  state: HeartbeatState,
  parts: { readonly stores: Stores; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const { stores, log, signal } = parts;
  const before = (await stores.settings.get(HEARTBEAT_KEY)) as HeartbeatState | null;
  const isNews = before === null || before.outcome !== state.outcome || state.at - before.at > REFRESH_MS;
  const shown = { ...state, configured: config !== undefined, answer: before?.answer ?? null };
  if (config === undefined || state.outcome !== "Beats") {
    if (isNews) await stores.settings.put(HEARTBEAT_KEY, shown);
    if (config !== undefined && state.outcome !== "Beats" && before?.outcome !== state.outcome)
      log.warn({ outcome: state.outcome, reason: state.reason }, "the heartbeat is withheld");
    return;
  }
  if (!(await stores.health.takeTurn("heartbeat", config.every, state.at))) return;
  const answer = await call(config, signal);
  const isAccepted = /^2\d\d$/.test(answer);
  if (!isAccepted && before?.answer !== answer) log.warn({ answer }, "the heartbeat was not accepted");
  await stores.settings.put(HEARTBEAT_KEY, { ...shown, answer });
}

const REFRESH_MS = 30_000;
const PATIENCE_MS = 10_000;

/** An error only gives its code: the address is a secret. Redirects could lead into Earshot's own network. */
async function call({ url, allowPrivateAddress }: HeartbeatConfig, signal: AbortSignal): Promise<string> {
  let connections: Agent | undefined;
  try {
    connections = createAgent(url, allowPrivateAddress);
    const response = await request(url, {
      headers: { "User-Agent": "Earshot" },
      dispatcher: connections,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    await response.body.dump();
    return String(response.statusCode);
  } catch (error) {
    const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : null);
    if (code === "EPRIVATE")
      return "refused: a private address, and heartbeat.allowPrivateAddress is not set";
    return code ?? (isTimeout(error) ? "no answer in time" : "no answer");
  } finally {
    await connections?.destroy();
  }
}

/** The signal of a time that is over rejects with such an error. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
