import { Deviation } from "./demand.ts";
import type { ConformanceRow, Need } from "./row.ts";
import type { Subject } from "./subject.ts";

/** What came of one row. `unreached`: the service could not be asked. */
export interface Verdict {
  readonly outcome: "conforms" | "deviates" | "not applicable" | "left out" | "unreached";
  readonly because: string | null;
}

/** Looks at one row, if what it needs is allowed. */
export async function checkRow(
  row: ConformanceRow,
  subject: Subject,
  allowed: readonly Need[],
): Promise<Verdict> {
  if (row.needs !== undefined && !allowed.includes(row.needs))
    return { outcome: "left out", because: LEFT_OUT[row.needs] };
  try {
    const said = await row.check(subject);
    return said === undefined
      ? { outcome: "conforms", because: null }
      : { outcome: "not applicable", because: said.notApplicable };
  } catch (error) {
    if (error instanceof Deviation) return { outcome: "deviates", because: error.message };
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return {
      outcome: "unreached",
      because: `${error instanceof Error ? error.message : String(error)}${cause}`,
    };
  }
}

const LEFT_OUT: Readonly<Record<Need, string>> = {
  writes: "it would leave something behind",
  guesses: "it would log in wrongly",
  accounts: "it wants logins of other clients and roles",
};
