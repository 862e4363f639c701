import { readFileSync } from "node:fs";
import { describeError, UserError } from "../lib/errors.ts";
import { isLoopback } from "../lib/listening.ts";

export interface ConsoleSettings {
  /** The address to listen on. Anything but this machine needs a login. */
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly login?: { readonly username: string; readonly password: string };
  /** The address that readers use, if it differs from the one it listens on (a proxy, a name). */
  readonly publicUrl?: string;
  /** Addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** PEM files: the certificate with its chain, and its key. Read once, at the start. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Whether admins may write rules into the folder of rules. */
  readonly editRules?: boolean;
  /** Whether admins may replace `listen` in earshot.yaml. */
  readonly editSetup?: boolean;
  /** Logins that are admins. */
  readonly admins?: readonly string[];
  /** IANA zone of the shown times. */
  readonly timezone: string;
}

/** Refuses settings that would show mentions to a network without a login. */
export function checkSettings(settings: ConsoleSettings): void {
  if (isLoopback(settings.host) || settings.login !== undefined) return;
  throw new UserError(`the page would listen on ${settings.host} and let everybody in`, [
    "set web.login (username, password) in earshot.yaml, or",
    'set web.host to "127.0.0.1" to show it on this machine only',
  ]);
}

/** Whether browsers use https, served by Earshot or by a proxy. */
export function isHttps({ publicUrl, tls }: Pick<ConsoleSettings, "publicUrl" | "tls">): boolean {
  return tls !== undefined || publicUrl?.startsWith("https:") === true;
}

/** Reads the certificate and key. Throws a UserError if a file cannot be read. */
export function readTls({ tls }: ConsoleSettings): { cert: Buffer; key: Buffer } | null {
  if (tls === undefined) return null;
  const read = (name: "cert" | "key") => {
    try {
      return readFileSync(tls[name]);
    } catch (error) {
      throw new UserError(`web.tls.${name}: ${tls[name]} cannot be read`, [describeError(error)]);
    }
  };
  return { cert: read("cert"), key: read("key") };
}
