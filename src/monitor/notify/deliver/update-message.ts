import { describeError } from "../../../lib/errors.ts";
import type { Instant } from "../../../lib/instant.ts";
import type { IncidentNote } from "../../model/incident-work.ts";
import type { LiveMessages, Notifier, UpdateResult, VendorRef } from "../define-notifier.ts";
import { type AcquiredSlot, acquireSlot } from "./acquire-slot.ts";
import { asDeliveryError, decideRetry } from "./decide-retry.ts";
import type { DeliverParts } from "./deliver.ts";
import { holdClaim } from "./hold-claim.ts";

/** Identifies the live message of an alert at a receiver. */
export interface LiveMessageKey {
  readonly projectId: string;
  readonly alertId: string;
  readonly receiver: string;
}

/** A worker's claim on a live message. The lease changes with each renewal. */
interface Claim extends LiveMessageKey {
  readonly lease: string;
}

interface LiveMessageLog {
  /** Claims it for editing. Null: another worker has it, or it is up to date. */
  claim(key: LiveMessageKey): Promise<{
    readonly lease: string;
    /** Identifies the alert's current state. */
    readonly state: string;
    /** Tries since it was last up to date, this one included. */
    readonly attempts: number;
    /** The notification that it was posted for, and the vendor's ids of the message. */
    readonly root: {
      readonly notificationId: string;
      readonly ref: VendorRef;
      /** Other alerts in the message. */
      readonly also: readonly string[];
    };
  } | null>;
  /** Whether a notification about the alert waits for the receiver, or a decision about one is due. */
  notifiesSoon(key: LiveMessageKey, now: Instant): Promise<boolean>;
  /** The new lease. Null: another worker has claimed it. */
  renew(claim: Claim): Promise<string | null>;
  shown(
    claim: Claim,
    state: string,
    terms: { readonly editEveryMs: number; readonly isOver: boolean },
  ): Promise<void>;
  /** False: it is not this claim. */
  saveRef(claim: Claim, notificationId: string, ref: VendorRef): Promise<boolean>;
  /** What people wrote about the incident that the alert began, oldest first. */
  commentsOf(projectId: string, alertId: string): Promise<readonly IncidentNote[]>;
  /** Null: given up. */
  postpone(claim: Claim, retryAfterMs: number | null): Promise<void>;
}

export interface UpdateMessageParts
  extends Pick<DeliverParts, "notifierOf" | "viewOf" | "channelLimits" | "log" | "receiversOf" | "clock"> {
  readonly liveMessages: LiveMessageLog;
}

export type UpdateOutcome =
  /** It is up to date, or another worker has it. */
  | { readonly outcome: "NotDue" }
  /** Slack's rate limit of edits is used up. */
  | { readonly outcome: "Paced" }
  | { readonly outcome: "Shown" }
  /** The message is up to date; a part is still to be added. */
  | { readonly outcome: "Unfinished" }
  | { readonly outcome: "Failed"; readonly error: string; readonly retryAfterMs: number }
  | { readonly outcome: "GivenUp"; readonly error: string };

/** The pause before a missing part is tried again. */
const SOON_MS = 3_000;

/**
 * Updates the message of an alert. Changes are collected: it shows the current state of the alert, at most every
 * `editEveryMs`, and is repeated until the message shows that state.
 */
export async function updateMessage(
  parts: UpdateMessageParts,
  key: LiveMessageKey,
  signal: AbortSignal,
): Promise<UpdateOutcome> {
  const notifier = parts.notifierOf(key.receiver);
  if (notifier?.liveMessages === undefined) return { outcome: "NotDue" };
  const slot = await acquireSlot(parts.channelLimits, notifier.liveMessages.channel);
  if (slot === null) return { outcome: "Paced" };
  const claimed = await parts.liveMessages.claim(key);
  if (claimed === null) {
    await slot.giveBack();
    return { outcome: "NotDue" };
  }
  let { lease } = claimed;
  const claim = holdClaim(async () => {
    const renewed = await parts.liveMessages.renew({ ...key, lease });
    lease = renewed ?? lease;
    return renewed !== null;
  });
  try {
    const found = await liveView(parts, key, claimed.root);
    if (found === null) {
      await claim.letGo();
      await parts.liveMessages.postpone({ ...key, lease }, null);
      return { outcome: "GivenUp", error: "its alert or digest is no longer stored" };
    }
    const { notificationId, ref: previous } = claimed.root;
    const comments = await parts.liveMessages.commentsOf(key.projectId, key.alertId);
    const shown = await notifier.liveMessages.updateMessage(
      { ...found, alertId: key.alertId, notificationId, attempt: claimed.attempts, previous, comments },
      {
        signal: AbortSignal.any([signal, claim.lost]),
        beforePost: claim.renew,
        mayPost: () => mayPost(parts, key, notifier),
        onRef: async (ref) => {
          // A renewal has changed the lease, or another worker has it: then it throws.
          while (!(await parts.liveMessages.saveRef({ ...key, lease }, notificationId, ref)))
            await claim.renew();
        },
      },
    );
    await slot.worked();
    await claim.letGo();
    return await settle(
      parts,
      { ...key, lease },
      { ...claimed, shown, editable: notifier.liveMessages },
      found.view.resolvedAt !== null,
    );
  } catch (error) {
    if (claim.lost.aborted) return { outcome: "NotDue" };
    await claim.letGo();
    return await settleFailure(parts, { ...key, lease }, claimed.attempts, error, slot);
  } finally {
    void claim.letGo();
  }
}

async function settle(
  { liveMessages }: UpdateMessageParts,
  claim: Claim,
  { state, shown, editable }: { state: string; shown: UpdateResult; editable: LiveMessages },
  isOver: boolean,
): Promise<UpdateOutcome> {
  if (!shown.finished) {
    await liveMessages.postpone(claim, Math.min(SOON_MS, editable.editEveryMs));
    return { outcome: "Unfinished" };
  }
  await liveMessages.shown(claim, state, { editEveryMs: editable.editEveryMs, isOver });
  return { outcome: "Shown" };
}

async function settleFailure(
  { liveMessages }: UpdateMessageParts,
  claim: Claim,
  attempts: number,
  error: unknown,
  slot: AcquiredSlot,
): Promise<UpdateOutcome> {
  const failure = asDeliveryError(error);
  const message = describeError(failure);
  if (failure.concernsChannel) await slot.failed(message, failure.retryAfterMs);
  // Given up, the edit is left to the next change of the alert.
  const retryAfterMs = decideRetry(failure, attempts, Math.random());
  await liveMessages.postpone(claim, retryAfterMs);
  return retryAfterMs === null
    ? { outcome: "GivenUp", error: message }
    : { outcome: "Failed", error: message, retryAfterMs };
}

/**
 * An update that nobody waits for takes a slot only if no notification needs it. One about the same alert stands above
 * it, also where it is tried again or still to be decided: the end is said before its last chart is shown.
 */
async function mayPost(
  { log, liveMessages, channelLimits, receiversOf, clock }: UpdateMessageParts,
  key: LiveMessageKey,
  { channel }: Notifier,
): Promise<boolean> {
  if (await liveMessages.notifiesSoon(key, clock.now())) return false;
  if (channel === undefined) return true;
  const keys = await channelLimits.keysOf(channel.key);
  if ((await log.nextDue(keys.flatMap(receiversOf))) !== null) return false;
  return (await acquireSlot(channelLimits, channel)) !== null;
}

/** What the message of an alert shows, whatever it was posted for. Null: its alert is no longer stored. */
export async function liveView(
  { viewOf }: Pick<UpdateMessageParts, "viewOf">,
  { projectId, alertId, receiver }: LiveMessageKey,
  { notificationId: id, also }: { readonly notificationId: string; readonly also: readonly string[] },
) {
  // Not a stored notification: it only says what the view is for.
  const found = await viewOf({
    id,
    projectId,
    receiver,
    kind: "fired",
    alertId,
    digest: null,
    createdAt: 0,
    state: "sent",
    reason: "Standing",
    attempts: 0,
    attemptsBefore: 0,
    lastError: null,
    vendorRef: null,
    also,
  });
  return found?.about === "alert" ? found : null;
}
