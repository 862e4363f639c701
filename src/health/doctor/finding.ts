/** One line of the doctor's table. */
export interface Finding {
  /** What was looked at: `database`, `receiver comms` … */
  readonly what: string;
  /** ok; warn: it works and should be seen to; fail: Earshot cannot do its work so. */
  readonly state: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do, where there is something. */
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
