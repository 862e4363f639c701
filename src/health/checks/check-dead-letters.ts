import type { DeadLetterCount } from "../../model/pipeline-facts.ts";

export type DeadLetterVerdict =
  | { readonly outcome: "Nothing" }
  | { readonly outcome: "StandsAside"; readonly because: string };

/** Whether the operators are notified of dead letters, and in which words. */
export function checkDeadLetters({ kind, n, reason }: DeadLetterCount): DeadLetterVerdict {
  if (n === 0) return { outcome: "Nothing" };
  const what = `${n} ${kind}${n === 1 ? "" : "s"} always failed and ${n === 1 ? "is a dead letter" : "are dead letters"}`;
  const newest = n === 1 ? reason : `the newest: ${reason}`;
  return {
    outcome: "StandsAside",
    because: `${what}; ${newest}. Everything else goes on. earshot dead-letters list shows them; once the cause is fixed: earshot dead-letters replay`,
  };
}
