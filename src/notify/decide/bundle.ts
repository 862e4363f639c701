import { compareSeverity } from "../../model/severity.ts";
import type { Outgoing } from "./batch.ts";

/** Many things to say in one message: the one that matters most leads, the others are told as what comes on top. */
export function bundle(outgoing: readonly Outgoing[]): Outgoing {
  const all = outgoing.flatMap(({ also = [], ...outgoing }) => [outgoing, ...also]);
  const [leader, ...rest] = inOrderOfWorth(all);
  if (leader === undefined) throw new RangeError("There is nothing to be said");
  return rest.length === 0 ? leader : { ...leader, also: rest };
}

/** What still goes on before what is over, the gravest and then the oldest first. */
export function inOrderOfWorth(outgoing: readonly Outgoing[]): readonly Outgoing[] {
  return outgoing.toSorted(
    ({ candidate: { alert: a } }, { candidate: { alert: b } }) =>
      Number(a.resolvedAt !== null) - Number(b.resolvedAt !== null) ||
      compareSeverity(b.severity, a.severity) ||
      a.openedAt - b.openedAt,
  );
}
