import { SourceError, type SourceErrorDetails } from "../../src/monitor/source/source-error.ts";

/** A failure of the source client as it throws it; where nothing else is said, one that a retry may mend at once. */
export function sourceFailure(message: string, details: Partial<SourceErrorDetails> = {}): SourceError {
  return new SourceError({
    kind: "unavailable",
    call: "mentions",
    message,
    retryable: true,
    retryAfterMs: 0,
    ...details,
  });
}
