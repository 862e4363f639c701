import { monotonicMs } from "../../../lib/clock.ts";
import { DeliveryError } from "../delivery-error.ts";

/** A worker's claim on a notification or a live message, for as long as it works on it. */
export interface HeldClaim {
  /** Renews the claim just before something is posted. Rejects if another worker has taken it, or the database is away. */
  readonly renew: () => Promise<void>;
  /** Aborted when another worker has taken it. */
  readonly lost: AbortSignal;
  /** Ends the renewals, and waits for the one under way. */
  readonly letGo: () => Promise<void>;
}

const RENEW_EVERY_MS = 3_000;

/**
 * A process that was suspended while it waited for the answer may have lost the claim since, so it asks again. A gap
 * remains: a pause longer than the lease between this answer and the vendor's acceptance. No vendor accepts a key by
 * which it would refuse the second message.
 */
const STALE_MS = 2_000;

/**
 * Renews a claim every few seconds, and on request.
 *
 * @param renewOnce false: another worker has taken it. Never called again before it has answered
 */
export function holdClaim(renewOnce: () => Promise<boolean>): HeldClaim {
  const lost = new AbortController();
  let renewing: Promise<void> = Promise.resolve();
  const renewNow = async (): Promise<void> => {
    for (let answeredIn = Number.POSITIVE_INFINITY; answeredIn > STALE_MS; ) {
      const askedAt = monotonicMs();
      if (!lost.signal.aborted && !(await renewOnce())) lost.abort();
      if (lost.signal.aborted)
        throw new DeliveryError("another worker has taken it", { code: "taken", retryable: true });
      answeredIn = monotonicMs() - askedAt;
    }
  };
  const renew = (): Promise<void> => {
    renewing = renewing.catch(() => {}).then(renewNow);
    return renewing;
  };
  const keepAlive = setInterval(() => {
    // If a renewal fails, the lease runs out; the row decides who goes on.
    renew().catch(() => {});
  }, RENEW_EVERY_MS);
  const letGo = async (): Promise<void> => {
    clearInterval(keepAlive);
    await renewing.catch(() => {});
  };
  return { renew, lost: lost.signal, letGo };
}
