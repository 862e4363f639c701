import type { Subject } from "./subject.ts";

/** One thing that the specification says, and how to see whether a service does it. */
export interface ConformanceRow {
  /** Who says that it is so: the specification, the reference about the live service, or programs written for it. */
  readonly origin: "specification" | "practice" | "clients";
  /** The section of the specification or of the reference, or the clients that send or read it. */
  readonly section: string;
  readonly what: string;
  /** What a service has to be given for it, besides a login that may read. */
  readonly needs?: Need;
  /** Throws what is wrong; gives a reason where this service has nothing to look at. */
  check(subject: Subject): Promise<NotApplicable | undefined>;
}

/** `writes`: it leaves something behind. `guesses`: it logs in wrongly. `accounts`: logins of other roles and clients. */
export type Need = "writes" | "guesses" | "accounts";

export interface NotApplicable {
  readonly notApplicable: string;
}

export interface Part {
  readonly name: string;
  readonly rows: readonly ConformanceRow[];
}

/** A row that has looked, and needs to say no more. */
export function row(
  section: string,
  what: string,
  check: (subject: Subject) => Promise<unknown>,
  needs?: Need,
): ConformanceRow {
  return {
    origin: section.startsWith("practice")
      ? "practice"
      : section.startsWith("client")
        ? "clients"
        : "specification",
    section,
    what,
    ...(needs === undefined ? {} : { needs }),
    check: async (subject) => {
      const said = await check(subject);
      return isNotApplicable(said) ? said : undefined;
    },
  };
}

export function notApplicable(reason: string): NotApplicable {
  return { notApplicable: reason };
}

function isNotApplicable(said: unknown): said is NotApplicable {
  return typeof said === "object" && said !== null && "notApplicable" in said;
}
