import { readFileSync } from "node:fs";
import type { UserRole } from "#monitor";
import { describeError, UserError } from "../../lib/errors.ts";
import { isLoopback } from "../../lib/listening.ts";

export interface ConsoleSettings {
  /** The address to listen on. Anything but this machine needs a login. */
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** One login that several people share. */
  readonly login?: { readonly username: string; readonly password: string };
  /** Users of the file; others are in the database. */
  readonly users?: readonly {
    readonly name: string;
    readonly role: UserRole;
    readonly passwordHash: string;
  }[];
  /** Seals the secrets of second factors; without it a key that the database keeps. */
  readonly secondFactorKey?: string;
  /** The address that readers use, if it differs from the one it listens on (a proxy, a name). */
  readonly publicUrl?: string;
  /** Addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** A provider of OpenID Connect at which people log in. */
  readonly oidc?: {
    readonly issuer: string;
    readonly clientId: string;
    /** Absent for a public client. */
    readonly clientSecret?: string;
    /** What people call it: `Log in with LABEL`. */
    readonly label: string;
    readonly scopes: readonly string[];
    readonly nameClaim: string;
    readonly rolesClaim: string;
    /** Which values of the claim give which role. */
    readonly roles: Readonly<Partial<Record<UserRole, readonly string[]>>>;
    /** Of whoever has none of these values. Absent: they are refused. */
    readonly defaultRole?: UserRole;
  };
  /** A proxy that logs people in, and says in a header who asks. */
  readonly proxy?: {
    readonly header: string;
    /** Addresses or networks from which the header is believed. */
    readonly from: readonly string[];
    /** Of a name that is no user yet. Absent: they are refused. */
    readonly role?: UserRole;
  };
  /** PEM files: the certificate with its chain, and its key. Read once, at the start. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Whether editors may write rules into the folder of rules. */
  readonly editRules?: boolean;
  /** Whether editors may write templates into the folder of templates. */
  readonly editTemplates?: boolean;
  /** Whether corrections of mentions of the account are written there. */
  readonly writesCorrections?: boolean;
  /** Whether admins may replace `listen` in earshot.yaml. */
  readonly editSetup?: boolean;
  /** Whether the shared login is an admin: then it is named here. Otherwise it is a responder. */
  readonly admins?: readonly string[];
  /** IANA zone of the shown times. */
  readonly timezone: string;
}

/** Whether these settings alone ask for a login. Users of the database may ask for one as well. */
export function demandsLogin(settings: ConsoleSettings): boolean {
  return !isLoopback(settings.host) || hasLogin(settings);
}

function hasLogin({ login, users = [], oidc, proxy }: ConsoleSettings): boolean {
  return login !== undefined || users.length > 0 || oidc !== undefined || proxy !== undefined;
}

/** Refuses settings that let nobody in from a network. `hasUsers`: whether the database has some. */
export async function checkSettings(
  settings: ConsoleSettings,
  hasUsers: () => Promise<boolean>,
): Promise<void> {
  const { host } = settings;
  if (isLoopback(host) || hasLogin(settings)) return;
  if (await hasUsers()) return;
  throw new UserError(`the console would listen on ${host}, and has no users who could log in`, [
    "add one: earshot users add ann --role admin, or",
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
