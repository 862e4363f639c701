import type { Configuration } from "openid-client";
import { nameKey, type StoredUser, type Stores, UserName, UserRole } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { cached } from "../../lib/concurrency.ts";
import { describeError } from "../../lib/errors.ts";
import { HOUR, MINUTE } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import type { ConsoleSettings } from "../common/settings.ts";
import { isNamed } from "./manage-users.ts";

type OpenIdSettings = NonNullable<ConsoleSettings["oidc"]>;

/** What a browser keeps, encrypted, from the way to the provider until the way back. */
export interface OpenIdTry {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: a code that somebody else got is worth nothing with it. */
  readonly verifier: string;
  readonly next: string;
}

type OpenIdLogin =
  | { readonly outcome: "Right"; readonly name: string }
  /** The provider knows them; we let them in no further. */
  | { readonly outcome: "Refused"; readonly because: string }
  /** The answer is not one to our question, or the provider cannot be asked. */
  | { readonly outcome: "Failed" };

/** Logins at a provider of OpenID Connect: authorization code flow with PKCE, state and nonce. */
export interface OpenId {
  begin(
    redirectUri: string,
    next: string,
  ): Promise<{ readonly address: URL; readonly kept: OpenIdTry } | null>;
  /** `answer`: the address to which the provider sent the browser back. */
  finish(answer: URL, kept: OpenIdTry): Promise<OpenIdLogin>;
}

/** How long its keys and addresses are used before they are asked for again. */
const DISCOVERED_FOR_MS = HOUR;
const PATIENCE_SECONDS = 10;

export function createOpenId(
  settings: OpenIdSettings,
  parts: {
    readonly stored: Pick<Stores, "users">;
    readonly namesOfFile: readonly string[];
    readonly wall: Clock;
    readonly log: Logger;
  },
): OpenId {
  const { wall, log } = parts;
  // Only here: nobody else waits for the library.
  const library = () => import("openid-client");
  const provider = cached(() => discover(settings), DISCOVERED_FOR_MS, wall);
  return {
    begin: async (redirectUri, next) => {
      try {
        const [client, config] = [await library(), await provider.ask()];
        const [state, nonce] = [client.randomState(), client.randomNonce()];
        const verifier = client.randomPKCECodeVerifier();
        const address = client.buildAuthorizationUrl(config, {
          ...{ redirect_uri: redirectUri, scope: settings.scopes.join(" "), state, nonce },
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        });
        return { address, kept: { state, nonce, verifier, next } };
      } catch (error) {
        log.error({ reason: describeError(error) }, "the OpenID provider cannot be asked");
        return null;
      }
    },
    finish: async (answer, { state, nonce, verifier }) => {
      let claims: Readonly<Record<string, unknown>>;
      let issuer: string;
      try {
        const [client, config] = [await library(), await provider.ask()];
        // Checks state, nonce, the issuer of the answer (RFC 9207), and issuer, audience, time and signature of the token.
        const tokens = await client.authorizationCodeGrant(config, answer, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const ofToken = tokens.claims();
        if (ofToken === undefined) return { outcome: "Failed" };
        issuer = ofToken.iss;
        const isWhole = [settings.nameClaim, settings.rolesClaim].every(
          (claim) => claimAt(ofToken, claim) !== undefined,
        );
        const more =
          isWhole || config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(config, tokens.access_token, ofToken.sub);
        claims = { ...more, ...ofToken };
      } catch (error) {
        log.warn({ reason: describeError(error) }, "a login at the OpenID provider was refused");
        return { outcome: "Failed" };
      }
      const role = roleOf(claims, settings);
      if (role === null)
        return {
          outcome: "Refused",
          because: `your account has no role here (claim ${settings.rolesClaim})`,
        };
      const id = { issuer, subject: String(claims["sub"]) };
      return admit(await parts.stored.users.findByOpenId(id), id, role, claims);
    },
  };

  async function admit(
    known: StoredUser | null,
    id: { readonly issuer: string; readonly subject: string },
    role: UserRole,
    claims: Readonly<Record<string, unknown>>,
  ): Promise<OpenIdLogin> {
    if (known !== null) {
      if (known.endedAt !== null) return { outcome: "Refused", because: `${known.name} has ended` };
      if (known.role !== role) await parts.stored.users.setRole(known.id, role);
      return { outcome: "Right", name: known.name };
    }
    const name = UserName.safeParse(claimAt(claims, settings.nameClaim));
    if (!name.success)
      return { outcome: "Refused", because: `your account has no name here (claim ${settings.nameClaim})` };
    const email = typeof claims["email"] === "string" ? claims["email"].slice(0, 320) : null;
    const now = wall.now();
    // By the identity alone: whoever has the same name or address as another user is not that user.
    const isAdded =
      !isNamed(parts.namesOfFile, name.data) &&
      (await parts.stored.users.add({
        ...{ id: uuid7(now), name: name.data, role, email, passwordHash: null, openId: id },
        ...{ createdAt: now, createdBy: "the OpenID provider" },
      }));
    if (isAdded) return { outcome: "Right", name: name.data };
    // Two logins at once: the other one added the user.
    const added = await parts.stored.users.findByOpenId(id);
    if (added !== null && nameKey(added.name) === nameKey(name.data)) return admit(added, id, role, claims);
    return {
      outcome: "Refused",
      because: `another user is called ${name.data} already, and logs in another way`,
    };
  }
}

async function discover({ issuer, clientId, clientSecret }: OpenIdSettings): Promise<Configuration> {
  const client = await import("openid-client");
  const server = new URL(issuer);
  // The configuration lets only a provider on this machine be without https.
  const options = server.protocol === "http:" ? { execute: [client.allowInsecureRequests] } : {};
  const auth = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret);
  const config = await client.discovery(server, clientId, undefined, auth, options);
  config.timeout = PATIENCE_SECONDS;
  return config;
}

/** The highest role that one of the claim's values gives; null for none. */
export function roleOf(
  claims: Readonly<Record<string, unknown>>,
  { rolesClaim, roles, defaultRole }: Pick<OpenIdSettings, "rolesClaim" | "roles" | "defaultRole">,
): UserRole | null {
  const values = [claimAt(claims, rolesClaim)].flat();
  const given = [...UserRole.options].reverse();
  return given.find((role) => roles[role]?.some((value) => values.includes(value))) ?? defaultRole ?? null;
}

/** `realm_access.roles` is a claim in a claim; a claim of the whole name comes first. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split(".").reduce<unknown>((inside, key) => {
    return typeof inside === "object" && inside !== null && Object.hasOwn(inside, key)
      ? (inside as Record<string, unknown>)[key]
      : undefined;
  }, claims);
}

/** How long somebody may take at the provider. */
export const OPEN_ID_TRY_MS = 10 * MINUTE;
