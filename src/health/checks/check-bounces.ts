import type { OpenBounces } from "../../model/bounce.ts";

export type BouncesVerdict =
  | { readonly outcome: "Reaches" }
  /** Once may be an accident of the other side. */
  | { readonly outcome: "CameBackOnce" }
  | { readonly outcome: "ComesBack"; readonly because: string };

const LEAST_BOUNCES = 2;

/** What mails that came back for good mean; `current` is the address that is configured now, undefined for none. */
export function checkBounces(bounces: OpenBounces, current: string | undefined): BouncesVerdict {
  const { receiver, to, times, detail } = bounces;
  // Whoever has put in another address has done what was to be done.
  if (to !== current) return { outcome: "Reaches" };
  if (times < LEAST_BOUNCES) return { outcome: "CameBackOnce" };
  return {
    outcome: "ComesBack",
    because: `receiver ${receiver} does not get its mails: ${times} to ${to} came back, the newest with ${detail}. Check the address; nothing is disabled, and mails go on being sent to it`,
  };
}
