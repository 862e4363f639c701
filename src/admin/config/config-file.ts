import { z } from "zod";
import { EnrichConfig, ListenConfig } from "#feeds";
import {
  DigestConfig,
  EscalationConfig,
  HeartbeatConfig,
  Inhibition,
  OperatorConfig,
  Rotation,
  RouteConfig,
  SourceConfig,
  UserName,
  UserRole,
} from "#monitor";
import { durationBetween } from "../../lib/duration.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY } from "../../lib/instant.ts";
import { isLoopback } from "../../lib/listening.ts";
import { TimeZone } from "../../lib/local-time.ts";
import { isPasswordHash } from "../../lib/password-hash.ts";

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

const claimValues = (role: UserRole) =>
  z
    .array(z.string().min(1))
    .min(1)
    .exactOptional()
    .describe(`Values of the claim that give the role ${role}.`);

const OpenIdConnect = z.strictObject({
  issuer: HttpAddress.refine(
    (address) => address.startsWith("https:") || isLoopback(new URL(address).hostname),
    "a provider that is not on this machine needs https",
  ).describe(
    "Address of the provider, as its tokens name it. Example: https://login.brand.example/realms/brand",
  ),
  clientId: z.string().min(1).describe("Id that the provider gave Earshot."),
  clientSecret: z
    .string()
    .min(1)
    .exactOptional()
    .meta({ description: "Secret that the provider gave Earshot.", writeOnly: true }),
  label: z
    .string()
    .min(1)
    .max(60)
    .default("single sign-on")
    .describe("What people call it, on the login page: Log in with …"),
  scopes: z
    .array(z.string().min(1))
    .default(["openid", "profile", "email"])
    .refine((scopes) => scopes.includes("openid"), "openid has to be one of them")
    .describe("Scopes that are asked for; some providers give groups only with one more."),
  nameClaim: z
    .string()
    .min(1)
    .default("preferred_username")
    .describe("Claim with the name that people have in Earshot. It is read at the first login."),
  rolesClaim: z
    .string()
    .min(1)
    .default("groups")
    .describe("Claim that gives roles, one value or a list; a.b is b in a. Example: realm_access.roles"),
  roles: z
    .strictObject({
      viewer: claimValues("viewer"),
      responder: claimValues("responder"),
      editor: claimValues("editor"),
      admin: claimValues("admin"),
    })
    .prefault({})
    .describe(
      "Values of the claim that give a role; the highest counts. Example: { admin: [earshot-admins] }",
    ),
  defaultRole: UserRole.exactOptional().describe(
    "Role of whoever has none of these values. Without it they are refused.",
  ),
});

const Web = z.strictObject({
  host: z
    .string()
    .default("127.0.0.1")
    .describe(
      "Address on which the console listens. On any other than 127.0.0.1 people log in; 0.0.0.0 is all of them.",
    ),
  port: z.int().min(0).max(65_535).default(8080).describe("Port of the console. 0 takes any free one."),
  publicUrl: HttpAddress.exactOptional().describe(
    "Address at which people reach the console; links in messages use it. Example: https://earshot.brand.example",
  ),
  login: z
    .strictObject({
      username: z.string().min(1).describe("Name to log in with."),
      password: z
        .string()
        .min(8)
        .meta({ description: "Password of the console, 8 characters or more.", writeOnly: true }),
    })
    .exactOptional()
    .describe(
      "One login that several people share, with the role responder, or admin if `admins` names it. Better: a user for each, in `users` or by `earshot users add`.",
    ),
  users: z
    .array(
      z.strictObject({
        name: UserName.describe("Name to log in with. Capitals make no difference."),
        role: UserRole.describe(
          "viewer reads, responder acts on alerts and silences, editor writes rules, admin changes the set-up and manages users.",
        ),
        passwordHash: z
          .string()
          .refine(isPasswordHash, "expected a hash of argon2id: `earshot users hash` makes one of a password")
          .meta({ description: "Hash of the password, made by `earshot users hash`.", writeOnly: true }),
      }),
    )
    .default([])
    .describe("Users of the console. Others are added by `earshot users add`, and kept in the database."),
  secondFactorKey: z.string().min(20).exactOptional().meta({
    description:
      "Seals the secrets of second factors in the database, 20 characters or more. Without it the database keeps the key as well. With another key, second factors have to be set up again.",
    writeOnly: true,
  }),
  editRules: z
    .boolean()
    .default(false)
    .describe("Lets editors write rules into the folder of rules on the console."),
  editTemplates: z
    .boolean()
    .default(false)
    .describe("Lets editors write templates into the folder of templates on the console."),
  editSetup: z
    .boolean()
    .default(false)
    .describe("Lets admins replace `listen` in this file on the console, page Listen for a brand."),
  admins: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "Names the username of `login` to make it an admin. Users of `users` have a role of their own. Example: [comms]",
    ),
  trustedProxies: z
    .array(Network)
    .default([])
    .describe(
      "Addresses or networks of the proxies before the console, which then say who asks. Without it all readers share the address of the proxy. Example: [127.0.0.1]",
    ),
  oidc: OpenIdConnect.exactOptional().describe(
    "People log in at a provider of OpenID Connect (Keycloak, Entra ID, Okta, Google, …). docs/console-access.md",
  ),
  proxy: z
    .strictObject({
      header: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]{2,60}$/, "expected the name of a header, such as X-Forwarded-User")
        .describe("Header in which it names who asks. It has to remove that header from what comes in."),
      from: z
        .array(Network)
        .min(1)
        .describe(
          "Addresses or networks of the proxy; from others the header is refused. Example: [127.0.0.1]",
        ),
      role: UserRole.exactOptional().describe(
        "Role of a name that is no user yet, who is then added. Without it they are refused.",
      ),
    })
    .exactOptional()
    .describe("A proxy logs people in, and says in a header who asks."),
  tls: z
    .strictObject({
      cert: z.string().min(1).describe("PEM file of the certificate with its chain, relative to this file."),
      key: z.string().min(1).describe("PEM file of the key, relative to this file."),
    })
    .exactOptional()
    .describe(
      "Makes the console serve https itself. Not needed behind a proxy that does. Read at the start only.",
    ),
});

/**
 * The schema of `earshot.yaml`. Receivers and feeds are read separately, because their fields depend on their kind.
 */
export const ConfigFile = z.strictObject({
  source: SourceConfig.exactOptional().describe(
    "The account of the Listening API, and what is watched. Or leave it out, and listen to public feeds.",
  ),
  listen: ListenConfig.exactOptional().describe(
    "What is looked for in public feeds, in place of a source or beside it: Earshot then brings its own Listening API.",
  ),
  receivers: z
    .array(z.unknown())
    .min(1, "name at least one receiver, else nobody is notified")
    .prefault([])
    .describe(
      "Who can be notified: a name, a kind, and the keys of that kind. Required, unless `listen` is there: messages then go to the Inbox of the console.",
    ),
  routes: z
    .array(RouteConfig)
    .min(1, "name at least one route, else alerts reach nobody")
    .prefault([])
    .describe("Which alert goes to which receiver. Read from the top; the first route that matches decides."),
  inhibitions: z
    .array(Inhibition)
    .default([])
    .describe("What mutes less severe alerts: while one alert is open, others are held."),
  escalations: z
    .array(EscalationConfig)
    .default([])
    .describe("Who is notified next of a firing alert that nobody acknowledges."),
  rotations: z.array(Rotation).default([]).describe("Receivers who take turns, for steps of escalations."),
  digests: z.array(DigestConfig).default([]).describe("What is sent once a day, a week or a month."),
  enrich: EnrichConfig.prefault({}).describe(
    "How mentions of Earshot's own Listening API get their language, sentiment and relevance.",
  ),
  rules: z.string().default("rules").describe("Folder of the rules, relative to this file unless absolute."),
  templates: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "Folder of your own templates, which replace shipped ones of the same name. Without this key: templates next to this file, if it exists.",
    ),
  timezone: TimeZone.default("UTC").describe(
    "Time zone of times in messages and in the console, such as Europe/Berlin.",
  ),
  web: Web.prefault({}).describe("The console: address, port and login."),
  operator: OperatorConfig.prefault({}).describe(
    "Who is notified about problems of Earshot itself, and when something is a problem.",
  ),
  heartbeat: HeartbeatConfig.exactOptional().describe(
    "An address that is called while everything works, so that an outside service notices when Earshot is dead.",
  ),
  retention: durationBetween(31 * DAY, 36_500 * DAY)
    .prefault("400d")
    .describe(
      "How long mentions, counts, alerts, digests and deliveries are kept. Whole months that ended earlier are deleted.",
    ),
});
export type ConfigFile = z.output<typeof ConfigFile>;
