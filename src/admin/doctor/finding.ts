/** One line of the doctor's table. */
export interface Finding {
  /** What was checked: `database`, `receiver comms` … */
  readonly what: string;
  /** ok; warn: it works, but needs attention; fail: Earshot cannot work like this. */
  readonly state: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do, if anything. */
  readonly advice: string | null;
}

export function ok(what: string, found: string): Finding {
  return { what, state: "ok", found, advice: null };
}

export function warn(what: string, found: string, advice: string): Finding {
  return { what, state: "warn", found, advice };
}

export function fail(what: string, found: string, advice: string): Finding {
  return { what, state: "fail", found, advice };
}
