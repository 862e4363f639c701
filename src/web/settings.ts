import { UserError } from "../lib/errors.ts";
import { isLoopback } from "../lib/loopback.ts";

export interface ConsoleSettings {
  /** Where it listens. Anything but this machine needs a login. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly login?: { readonly username: string; readonly password: string };
  /** The address under which readers reach it, where that is not the one it listens on (a proxy, a name). */
  readonly publicUrl?: string;
  /** IANA zone in which moments are shown. */
  readonly timezone: string;
}

/** Refuses to show mentions to a whole network that nobody has to log in to. */
export function checkSettings(settings: ConsoleSettings): void {
  if (isLoopback(settings.host) || settings.login !== undefined) return;
  throw new UserError(`the page would listen on ${settings.host} and let everybody in`, [
    "set web.login (username, password) in earshot.yaml, or",
    'set web.host to "127.0.0.1" to show it on this machine only',
  ]);
}
