import { readFileSync } from "node:fs";
import { describeError, UserError } from "../lib/errors.ts";
import { isLoopback } from "../lib/loopback.ts";

export interface ConsoleSettings {
  /** Where it listens. Anything but this machine needs a login. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly login?: { readonly username: string; readonly password: string };
  /** The address under which readers reach it, where that is not the one it listens on (a proxy, a name). */
  readonly publicUrl?: string;
  /** Addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[];
  /** Files in PEM form: the certificate with its chain, and its key. Read once, at the start. */
  readonly tls?: { readonly cert: string; readonly key: string };
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

/** Whether browsers reach the page by https, from Earshot itself or from a proxy before it. */
export function isHttps({ publicUrl, tls }: Pick<ConsoleSettings, "publicUrl" | "tls">): boolean {
  return tls !== undefined || publicUrl?.startsWith("https:") === true;
}

/** The certificate and key that the settings name. Throws a UserError where a file cannot be read. */
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
