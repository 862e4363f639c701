import { z } from "zod";

/** Who did something, as far as Earshot knows: the login, and the name that somebody typed, which is not verified. */
export const Actor = z.strictObject({
  via: z.enum(["page", "mail", "slack", "shell"]),
  /** The login of the console, the receiver of a mail's link, the user in Slack or of the machine; null for none. */
  login: z.string().nullable(),
  typed: z.string().nullable(),
});
export type Actor = z.infer<typeof Actor>;

/** `comms, as "Ann"`; `on-call (by mail)`; `"Ann"` without a login. A typed name is always in quotes. */
export function describeActor({ via, login, typed }: Actor): string {
  const name = typed === null ? "" : cleanName(typed).replaceAll('"', "'");
  const who = login === null ? "" : `${cleanName(login)}${via === "mail" ? " (by mail)" : ""}`;
  const quoted = name === "" || name === who ? "" : `"${name}"`;
  if (who !== "") return quoted === "" ? who : `${who}, as ${quoted}`;
  if (quoted !== "") return quoted;
  return via === "page" ? "somebody at the page" : "somebody";
}

const LONGEST_NAME = 80;

function cleanName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .trim()
    .slice(0, LONGEST_NAME);
}
