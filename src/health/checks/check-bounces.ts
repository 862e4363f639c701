import type { OpenBounces } from "../../model/failure.ts";
import { sentence } from "./name-some.ts";

export type BouncesVerdict =
  | { readonly outcome: "Reaches" }
  /** One bounce may be an accident of the other server. */
  | { readonly outcome: "CameBackOnce" }
  | { readonly outcome: "ComesBack"; readonly because: string };

const LEAST_BOUNCES = 2;

/** Judges the mails that bounced for good; `current` is the configured address, undefined for none. */
export function checkBounces(bounces: OpenBounces, current: string | undefined): BouncesVerdict {
  const { receiver, to, times, detail } = bounces;
  // The address was changed: nothing is left to do.
  if (to !== current) return { outcome: "Reaches" };
  if (times < LEAST_BOUNCES) return { outcome: "CameBackOnce" };
  return {
    outcome: "ComesBack",
    because: `receiver ${receiver} does not get its mails: ${times} to ${to} came back. The newest said: ${sentence(detail)} Nobody has read these mails, and new ones are still sent to this address. Correct it in earshot.yaml, or have the mailbox repaired`,
  };
}
