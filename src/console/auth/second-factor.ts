import { Secret, TOTP } from "otpauth";
import { nameKey, type Stores } from "#monitor";
import { HOUR, type Instant, SECOND } from "../../lib/instant.ts";
import { hashOfCode, inventCode } from "../../lib/readable-code.ts";
import { createSeal } from "../../lib/seal.ts";

/** Who knows the password may guess so many codes an hour: of a million, three are right at a time. */
const WRONG_PER_HOUR = 10;
const STEP_SECONDS = 30;
const RECOVERY_CODES = 10;

/** Codes of an app (TOTP, RFC 6238), and recovery codes for whoever lost it. */
export interface SecondFactors {
  /** Whether a login needs a code, too. */
  isOn(name: string): Promise<boolean>;
  /** Null: off. Otherwise how many recovery codes are left. */
  recoveryLeft(name: string): Promise<number | null>;
  /** A new secret for an app. It counts from `confirm` on. Null: there is one that counts. */
  begin(name: string): Promise<AppSecret | null>;
  /** What `begin` gave, once more. Null: nothing was begun. */
  begun(name: string): Promise<AppSecret | null>;
  /** The recovery codes, for once. Null: the code is wrong. */
  confirm(name: string, code: string, now: Instant): Promise<readonly string[] | null>;
  /** Uses up a code. */
  check(name: string, code: string, now: Instant): Promise<CheckedCode>;
  end(name: string): Promise<boolean>;
}

type CheckedCode = "Right" | "RightRecovery" | "Wrong" | "TooMany" | "Unreadable";

export interface AppSecret {
  /** To type into an app. */
  readonly secret: string;
  /** `otpauth://totp/…`: what an app reads from the picture. */
  readonly address: string;
}

export function createSecondFactors(
  stored: Stores["secondFactors"],
  /** Seals the secrets. With another key nobody can open them. */
  key: string,
): SecondFactors {
  const seal = createSeal(key, "secrets of second factors");
  const appOf = (name: string, secret: Secret) =>
    new TOTP({ issuer: "Earshot", label: name, secret, digits: 6, period: STEP_SECONDS, algorithm: "SHA1" });
  const opened = async (name: string) => {
    const found = await stored.find(nameKey(name));
    const bytes = found === null ? null : seal.open(found.sealed, nameKey(name));
    const secret = bytes === null ? null : new Secret({ buffer: new Uint8Array(bytes).buffer });
    return { found, app: secret === null ? null : appOf(name, secret) };
  };
  const shown = (app: TOTP): AppSecret => ({ secret: app.secret.base32, address: app.toString() });
  const useCode = async (name: string, app: TOTP, code: string, now: Instant): Promise<boolean> => {
    if (!/^\d{6}$/.test(code)) return false;
    const delta = app.validate({ token: code, timestamp: now, window: 1 });
    if (delta === null) return false;
    return stored.useStep(nameKey(name), Math.floor(now / (STEP_SECONDS * SECOND)) + delta);
  };

  return {
    isOn: async (name) => (await stored.find(nameKey(name)))?.confirmedAt != null,
    recoveryLeft: async (name) => {
      const found = await stored.find(nameKey(name));
      return found?.confirmedAt == null ? null : found.recoveryLeft;
    },
    begin: async (name) => {
      const secret = new Secret({ size: 20 });
      const sealed = seal.close(secret.bytes, nameKey(name));
      return (await stored.begin(nameKey(name), sealed)) ? shown(appOf(name, secret)) : null;
    },
    begun: async (name) => {
      const { found, app } = await opened(name);
      return found?.confirmedAt === null && app !== null ? shown(app) : null;
    },
    confirm: async (name, typed, now) => {
      const { found, app } = await opened(name);
      if (found === null || found.confirmedAt !== null || app === null) return null;
      if (!(await useCode(name, app, withoutBlanks(typed), now))) return null;
      const codes = Array.from({ length: RECOVERY_CODES }, inventCode);
      return (await stored.confirm(nameKey(name), codes.map(hashOfCode), now)) ? codes : null;
    },
    check: async (name, typed, now) => {
      const { found, app } = await opened(name);
      if (found === null) return "Wrong";
      const most = { since: now - HOUR, most: WRONG_PER_HOUR };
      if (!(await stored.takeTry(nameKey(name), most, now))) return "TooMany";
      const code = withoutBlanks(typed);
      if (app !== null && (await useCode(name, app, code, now))) return "Right";
      if (await stored.useRecovery(nameKey(name), hashOfCode(code))) return "RightRecovery";
      return app === null ? "Unreadable" : "Wrong";
    },
    end: (name) => stored.end(nameKey(name)),
  };
}

function withoutBlanks(typed: string): string {
  return typed.replaceAll(/\s/g, "");
}
