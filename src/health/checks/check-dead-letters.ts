import { counted } from "../../lib/numbers.ts";
import type { DeadLetterCount } from "../../model/pipeline-facts.ts";
import { sentence } from "./name-some.ts";

export type DeadLetterVerdict =
  | { readonly outcome: "Nothing" }
  | { readonly outcome: "StandsAside"; readonly because: string };

/** Whether the operators are notified of dead letters, and in which words. */
export function checkDeadLetters({ kind, n, reason }: DeadLetterCount): DeadLetterVerdict {
  if (n === 0) return { outcome: "Nothing" };
  const what = counted(n, ...(WHAT[kind] ?? [kind, `${kind}s`]));
  return {
    outcome: "StandsAside",
    because: `${what} failed at every try and ${n === 1 ? "is" : "are"} left out. ${n === 1 ? "The reason" : "The reason of the newest"}: ${sentence(reason)} ${MISSING[kind] ?? ""}Everything else goes on. earshot dead-letters list shows what failed; once the cause is fixed, earshot dead-letters replay tries it again`,
  };
}

const WHAT: Readonly<Record<string, readonly [string, string]>> = {
  mention: ["mention", "mentions"],
  page: ["page of mentions", "pages of mentions"],
  job: ["piece of work", "pieces of work"],
};

const MISSING: Readonly<Record<string, string>> = {
  mention: "No rule or digest counts what is left out. ",
  page: "No rule or digest counts what is left out. ",
};
