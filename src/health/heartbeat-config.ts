import { z } from "zod";
import { Duration } from "../lib/duration.ts";
import { MINUTE, SECOND } from "../lib/instant.ts";

/** `heartbeat` in `earshot.yaml`: an address that is called only while the whole pipeline works. */
export const HeartbeatConfig = z.strictObject({
  /** Treated as a secret: it identifies us to the service. */
  url: z.url({ protocol: /^https?$/, error: "expected an http or https address" }),
  /** Whether the address may be in a private network, or on this machine. */
  allowPrivateAddress: z.boolean().default(false),
  every: Duration.default(MINUTE).refine((ms) => ms >= 10 * SECOND, { error: "at least 10s" }),
});
export type HeartbeatConfig = z.output<typeof HeartbeatConfig>;
