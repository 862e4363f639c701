import { describeError } from "../lib/errors.ts";
import { retryDelayMs } from "../lib/retry-delay.ts";
import type { Following, Notifier, Shown, VendorRef } from "./define-notifier.ts";
import type { DeliverParts } from "./deliver.ts";
import { DeliveryError } from "./delivery-error.ts";
import { type TakenLane, takeLane } from "./take-lane.ts";

/** The message that stands for an alert at a receiver. */
export interface StandingKey {
  readonly projectId: string;
  readonly alertId: string;
  readonly receiver: string;
}

export interface StandingLog {
  /** Takes it for editing. Null: somebody else has it, or it shows everything already. */
  claim(key: StandingKey): Promise<{
    /** A mark of the alert as it now is. */
    readonly state: string;
    /** Tries since it was last up to date, this one included. */
    readonly attempts: number;
    /** What it was posted for, and as what the vendor knows it. */
    readonly root: {
      readonly notificationId: string;
      readonly ref: VendorRef;
      /** Other alerts that the message tells of. */
      readonly also: readonly string[];
    };
  } | null>;
  renew(key: StandingKey): Promise<void>;
  shown(
    key: StandingKey,
    state: string,
    terms: { readonly editEveryMs: number; readonly isOver: boolean },
  ): Promise<void>;
  saveRef(projectId: string, notificationId: string, ref: VendorRef): Promise<void>;
  /** Null: given up. */
  postpone(key: StandingKey, retryAfterMs: number | null): Promise<void>;
}

export interface ShowParts
  extends Pick<DeliverParts, "notifierOf" | "viewOf" | "lanes" | "log" | "receiversOf"> {
  readonly standing: StandingLog;
}

export type ShowOutcome =
  | { readonly outcome: "not-due" }
  /** Slack lets so many edits through in a minute, and those are spent. */
  | { readonly outcome: "paced" }
  | { readonly outcome: "shown" }
  /** The message is up to date; something is still to be added to it. */
  | { readonly outcome: "unfinished" }
  | { readonly outcome: "failed"; readonly error: string; readonly retryAfterMs: number }
  | { readonly outcome: "given-up"; readonly error: string };

/** What is still to be added is tried again so soon. */
const SOON_MS = 3_000;

/** An edit that fails so often is left to the next change of the alert. */
const MOST_ATTEMPTS = 40;

/**
 * Brings the message of an alert up to date. Changes are collected: it shows the alert as it stands now, at most every
 * `editEveryMs`, and it comes back for as long as what it shows is not what is.
 */
export async function show(parts: ShowParts, key: StandingKey, signal: AbortSignal): Promise<ShowOutcome> {
  const notifier = parts.notifierOf(key.receiver);
  if (notifier?.following === undefined) return { outcome: "not-due" };
  const place = await takeLane(parts.lanes, notifier.following.lane);
  if (place === null) return { outcome: "paced" };
  const claimed = await parts.standing.claim(key);
  if (claimed === null) {
    await place.giveBack();
    return { outcome: "not-due" };
  }
  const keepAlive = setInterval(() => {
    // A renewal that fails leaves the lease to run out; then somebody else edits.
    parts.standing.renew(key).catch(() => {});
  }, RENEW_EVERY_MS);
  try {
    const found = await standingView(parts, key, claimed.root);
    if (found === null) {
      await parts.standing.postpone(key, null);
      return { outcome: "given-up", error: "what it was about is stored no longer" };
    }
    const { notificationId, ref: previous } = claimed.root;
    const shown = await notifier.following.show(
      { ...found, alertId: key.alertId, notificationId, attempt: claimed.attempts, previous },
      {
        signal,
        mayPost: () => hasRoom(parts, notifier),
        onRef: (ref) => parts.standing.saveRef(key.projectId, notificationId, ref),
      },
    );
    await place.worked();
    return await settle(
      parts,
      key,
      { ...claimed, shown, following: notifier.following },
      found.view.resolvedAt !== null,
    );
  } catch (error) {
    return await settleFailure(parts, key, claimed.attempts, error, place);
  } finally {
    clearInterval(keepAlive);
  }
}

const RENEW_EVERY_MS = 3_000;

async function settle(
  { standing }: ShowParts,
  key: StandingKey,
  { state, shown, following }: { state: string; shown: Shown; following: Following },
  isOver: boolean,
): Promise<ShowOutcome> {
  if (!shown.finished) {
    await standing.postpone(key, Math.min(SOON_MS, following.editEveryMs));
    return { outcome: "unfinished" };
  }
  await standing.shown(key, state, { editEveryMs: following.editEveryMs, isOver });
  return { outcome: "shown" };
}

async function settleFailure(
  { standing }: ShowParts,
  key: StandingKey,
  attempts: number,
  error: unknown,
  place: TakenLane,
): Promise<ShowOutcome> {
  const failure =
    error instanceof DeliveryError ? error : new DeliveryError(describeError(error), { retryable: true });
  const told = describeError(failure);
  if (failure.concernsPlace) await place.failed(told, failure.retryAfterMs);
  if (!failure.retryable || attempts >= MOST_ATTEMPTS) {
    await standing.postpone(key, null);
    return { outcome: "given-up", error: told };
  }
  const retryAfterMs = Math.max(failure.retryAfterMs ?? 0, retryDelayMs(attempts, undefined, Math.random()));
  await standing.postpone(key, retryAfterMs);
  return { outcome: "failed", error: told, retryAfterMs };
}

/** What nobody waits for takes a turn only when nothing else wants it. */
async function hasRoom({ log, lanes, receiversOf }: ShowParts, { lane }: Notifier): Promise<boolean> {
  if (lane === undefined) return true;
  if ((await log.nextDue(receiversOf(lane.key))) !== null) return false;
  return (await takeLane(lanes, lane)) !== null;
}

async function standingView(
  { viewOf }: ShowParts,
  { projectId, alertId, receiver }: StandingKey,
  { notificationId: id, also }: { readonly notificationId: string; readonly also: readonly string[] },
) {
  // A notification that nobody is owed: it only says what the view is for.
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
    lastError: null,
    vendorRef: null,
    also,
  });
  return found?.about === "alert" ? found : null;
}
