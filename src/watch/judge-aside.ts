import type { StandingAside } from "../model/line-facts.ts";

export type AsideVerdict =
  | { readonly outcome: "Nothing" }
  | { readonly outcome: "StandsAside"; readonly because: string };

/** Whether the operators hear of what stands aside, and in which words. */
export function judgeAside({ kind, n, reason }: StandingAside): AsideVerdict {
  if (n === 0) return { outcome: "Nothing" };
  const what = `${n} ${kind}${n === 1 ? "" : "s"} always failed and ${n === 1 ? "was" : "were"} set aside`;
  const newest = n === 1 ? reason : `the newest: ${reason}`;
  return {
    outcome: "StandsAside",
    because: `${what}; ${newest}. Everything else goes on. earshot set-aside list shows them; once the cause is mended: earshot set-aside replay`,
  };
}
