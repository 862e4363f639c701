import { trimFullStops } from "../../lib/text.ts";
/** The first three of a list of names, and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => (name.length > 60 ? `${name.slice(0, 59)}…` : name));
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** What a vendor or a library said, in words for people and as one sentence: it may end with a full stop of its own. */
export function sentence(text: string): string {
  const plain = text.replace(
    /(?:\b(?:connect|getaddrinfo|read|write) )?\b(E[A-Z_]{4,})\b(?: (?:\S+:\d+|\/\S+))?/g,
    (all, code) => ERRORS[code] ?? all,
  );
  return `${trimFullStops(plain)}.`;
}

const ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection broken off",
  EPIPE: "connection broken off",
  ETIMEDOUT: "no answer in time",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host not found at the moment",
  EHOSTUNREACH: "host not reachable",
  ENETUNREACH: "network not reachable",
};
