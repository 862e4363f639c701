import { formatDuration } from "../../../lib/duration.ts";
import type { Instant } from "../../../lib/instant.ts";
import { sentence } from "../../../lib/text.ts";
import { DIGEST_PATIENCE_MS } from "../../model/digest.ts";
import type { HealthProblem } from "../../model/operator-rules.ts";
import type { HealthCheck } from "../define-check.ts";
import type { DueDigest } from "../pipeline-health.ts";

type DigestVerdict =
  | { readonly outcome: "OnTime" }
  /** It may still wait for queries to be read up to the end of its period. */
  | { readonly outcome: "Late" }
  | { readonly outcome: "NotBuilt"; readonly because: string };

/** Whether a due digest could not be built. `patienceMs`: how long digests wait for their queries. */
function checkDigest(
  digest: DueDigest,
  terms: { readonly lateMs: number; readonly patienceMs: number; readonly upForMs: number },
  now: Instant,
): DigestVerdict {
  const lateMs = now - digest.dueAt;
  if (lateMs < 0) return { outcome: "OnTime" };
  const what = `the digest ${digest.name} of ${digest.localDate}`;
  if (digest.deadLetters) {
    return {
      outcome: "NotBuilt",
      because: `${what} is not sent: it failed at every try. ${digest.error === null ? "" : `The reason: ${sentence(digest.error)} `}Once the cause is fixed, earshot dead-letters replay builds and sends it`,
    };
  }
  const waitedMs = Math.min(lateMs, terms.upForMs);
  if (waitedMs < terms.lateMs + terms.patienceMs) return { outcome: "Late" };
  return {
    outcome: "NotBuilt",
    because: `${what} is late by ${formatDuration(lateMs)}. ${
      digest.error === null
        ? "It is sent as soon as a process builds it: check that one with the role digest runs"
        : `The last try failed: ${sentence(digest.error)} It is tried again by itself; if the reason stays the same, that has to be fixed first`
    }`,
  };
}

/** Digests that are due and could not be built. */
export const digestCheck: HealthCheck = (health, settings) => {
  const terms = { lateMs: settings.digestLate, patienceMs: DIGEST_PATIENCE_MS, upForMs: health.upForMs };
  return health.digests.flatMap((digest): HealthProblem[] => {
    const verdict = checkDigest(digest, terms, health.now);
    if (verdict.outcome !== "NotBuilt") return [];
    const { name, localDate, dueAt } = digest;
    const labels = { digest: name, date: localDate };
    return [{ rule: "digest-not-built", labels, since: dueAt, because: verdict.because, values: {} }];
  });
};
