import type { FastifyInstance, FastifyRequest } from "fastify";
import { reachesRole, type TokenScope, type UserRole } from "#monitor";

/** Who may ask a route. */
export type Access =
  /** Strangers, too: what it shows or does must be safe for them. */
  | "Public"
  /** A user with this role or a higher one; a program with a token of this scope, or none if it is null. */
  | { readonly role: UserRole; readonly scope: TokenScope | null };

const readers: Access = { role: "viewer", scope: "read" };
/** The token of a feed reader may stand in the address, so it opens nothing else. */
const atomReaders: Access = { role: "viewer", scope: "atom" };
const responders: Access = { role: "responder", scope: "act" };
/** For people alone, and not for their programs. */
const people = (role: UserRole): Access => ({ role, scope: null });

/** Every route of the console. What is not here is refused. */
export const ACCESS: Readonly<Record<string, Access>> = {
  // Strangers
  "GET /login": "Public",
  "POST /login": "Public",
  "POST /login/code": "Public",
  "GET /login/oidc": "Public",
  "GET /login/oidc/callback": "Public",
  "GET /healthz": "Public",
  "GET /readyz": "Public",
  "GET /assets/console.css": "Public",
  "GET /assets/htmx.js": "Public",
  "GET /assets/live.js": "Public",
  "GET /assets/sse.js": "Public",
  "GET /assets/rule-editor.js": "Public",
  "GET /assets/chart.js": "Public",
  "GET /assets/workflow.js": "Public",
  "GET /assets/icon.svg": "Public",
  // Strangers who show something that only we could have given them: a signature or a token.
  "GET /act/:link": "Public",
  "POST /act/:link": "Public",
  "GET /unsubscribe/*": "Public",
  "POST /unsubscribe/*": "Public",
  "GET /invitations/:code": "Public",
  "POST /invitations/:code": "Public",
  "GET /rooms/:secret": "Public",
  "POST /slack/interactions": "Public",
  "POST /feeds/push": "Public",
  "GET /feeds/websub/:id": "Public",
  "POST /feeds/websub/:id": "Public",
  // Readers
  "GET /": readers,
  "GET /overview.json": readers,
  "GET /live": readers,
  "GET /alerts": readers,
  "GET /alerts.json": readers,
  "GET /alerts.atom": atomReaders,
  "GET /alerts/:id": readers,
  "GET /alerts/:id/chart-:theme.svg": readers,
  "GET /incidents/:id": readers,
  "GET /incidents/:id/review": readers,
  "GET /incidents/:id/review.pdf": readers,
  "GET /mentions": readers,
  "GET /mentions.json": readers,
  "GET /mentions.csv": readers,
  "GET /mentions.jsonl": readers,
  "GET /mentions.xlsx": readers,
  "GET /mentions.atom": atomReaders,
  "GET /insights": readers,
  "GET /insights.json": readers,
  "GET /insights/speakers": readers,
  "GET /insights/speakers.json": readers,
  "GET /lists": readers,
  "GET /lists.json": readers,
  "GET /insights/stories": readers,
  "GET /insights/stories.json": readers,
  "GET /insights/response": readers,
  "GET /insights/response.json": readers,
  "GET /why": readers,
  "GET /why.json": readers,
  "GET /health": readers,
  "GET /digests": readers,
  "GET /digests.json": readers,
  "GET /digests/html": readers,
  // Pages that are parts of Health now, and their JSON.
  "GET /coverage": readers,
  "GET /coverage.json": readers,
  "GET /feeds": readers,
  "GET /feeds.json": readers,
  "GET /inbox": readers,
  "GET /inbox/email/:id/html": readers,
  "GET /inbox/files/:id": readers,
  "GET /preview": readers,
  "GET /preview.json": readers,
  "GET /preview/html": readers,
  "GET /silences": readers,
  "GET /rules": readers,
  "GET /rules.json": readers,
  "GET /rules/completions.json": readers,
  "GET /rules/:id": readers,
  "GET /rules/:id/yaml": readers,
  "GET /rules/try": readers,
  "GET /rules/:id/try": readers,
  "GET /templates": readers,
  "GET /templates.json": readers,
  // They try a template, which programs have no use for.
  "GET /templates/edit": people("viewer"),
  "GET /templates/html": people("viewer"),
  // Searches that people save for themselves, or for everybody.
  "GET /views": people("viewer"),
  "POST /views": people("viewer"),
  "POST /views/end": people("viewer"),
  "POST /views/mail": people("viewer"),
  "POST /views/mail/end": people("viewer"),
  "GET /setup": people("viewer"),
  "POST /logout": people("viewer"),
  // One's own password, sessions and tokens.
  "GET /account": people("viewer"),
  "POST /account/password": people("viewer"),
  "POST /account/sessions/end": people("viewer"),
  "POST /account/second-factor": people("viewer"),
  "POST /account/second-factor/confirm": people("viewer"),
  "POST /account/second-factor/end": people("viewer"),
  "POST /account/slack": people("viewer"),
  "POST /account/slack/end": people("viewer"),
  "POST /account/tokens": people("viewer"),
  "POST /account/tokens/end": people("viewer"),
  // They change nothing: a rule, a template, or a set-up, is only tried and shown.
  "POST /rules/try": people("viewer"),
  "POST /templates/try": people("viewer"),
  "POST /rules/download": people("viewer"),
  "POST /setup": people("viewer"),
  "GET /metrics": { role: "viewer", scope: "metrics" },
  // Responders
  "POST /alerts/:id/act": responders,
  "POST /alerts/work": responders,
  "POST /incidents/:id/statement": responders,
  "POST /incidents/:id/review": responders,
  "POST /incidents/:id/comment": responders,
  // Whoever shows an incident to strangers is a person, and no program.
  "POST /incidents/:id/room": people("responder"),
  "POST /incidents/:id/room/end": people("responder"),
  "POST /mentions/sentiment": responders,
  "POST /mentions/categories": responders,
  "POST /mentions/work": responders,
  "POST /mentions/note": responders,
  "POST /mentions/undo": responders,
  "POST /lists": responders,
  "POST /lists/end": responders,
  "POST /silences": responders,
  "POST /silences/:id/expire": responders,
  "POST /inbox/press": people("responder"),
  "POST /feeds/try": people("responder"),
  // Editors
  "POST /rules/save": people("editor"),
  "POST /templates/save": people("editor"),
  "POST /templates/shipped": people("editor"),
  // Admins
  "POST /setup/write": people("admin"),
  "GET /users": people("admin"),
  "POST /users": people("admin"),
  "POST /users/change": people("admin"),
  "GET /audit": people("admin"),
  "GET /audit.jsonl": { role: "admin", scope: "read" },
};

/**
 * What goes into the audit log, by route. Not here: what changes nothing (a rule is only tried), the posts of programs
 * that bring mentions, and clicks in Slack, which are noted with who clicked.
 */
export const AUDITED: Readonly<Record<string, string>> = {
  "POST /login": "login",
  "POST /login/code": "login",
  "GET /login/oidc/callback": "login",
  "POST /invitations/:code": "invitation.accept",
  "POST /logout": "logout",
  "POST /act/:link": "alert.act",
  "POST /unsubscribe/*": "digest.unsubscribe",
  "POST /alerts/:id/act": "alert.act",
  "POST /alerts/work": "alert.work",
  "POST /incidents/:id/statement": "incident.statement",
  "POST /incidents/:id/review": "incident.review",
  "POST /incidents/:id/comment": "incident.comment",
  "POST /incidents/:id/room": "room.open",
  "POST /incidents/:id/room/end": "room.end",
  "POST /mentions/sentiment": "mention.sentiment",
  "POST /mentions/categories": "mention.categories",
  "POST /mentions/work": "mention.work",
  "POST /mentions/note": "mention.note",
  "POST /mentions/undo": "mention.undo",
  "POST /lists": "author.list",
  "POST /lists/end": "author.unlist",
  "POST /silences": "silence.add",
  "POST /silences/:id/expire": "silence.expire",
  "POST /inbox/press": "inbox.press",
  "POST /feeds/try": "feed.try",
  "POST /rules/save": "rule.save",
  "POST /templates/save": "template.save",
  "POST /templates/shipped": "template.remove",
  "POST /setup/write": "setup.write",
  "POST /account/password": "account.password",
  "POST /account/sessions/end": "session.end",
  "POST /account/second-factor": "second-factor.begin",
  "POST /account/second-factor/confirm": "second-factor.add",
  "POST /account/second-factor/end": "second-factor.end",
  "POST /account/slack": "slack.code",
  "POST /account/slack/end": "slack.unlink",
  "POST /account/tokens": "token.add",
  "POST /account/tokens/end": "token.end",
  "POST /views": "view.save",
  "POST /views/end": "view.end",
  "POST /views/mail": "view.mail",
  "POST /views/mail/end": "view.mail-end",
  "POST /users": "user.add",
  "POST /users/change": "user.change",
};

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may ask it: its line of `ACCESS`. */
    access?: Access;
  }
}

/** A registered route. */
export interface ConsoleRoute {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
}

/**
 * Gives the routes that are registered from now on their line of the table. Throws for a route without one, so that
 * nobody can add a page and forget to say who may see it.
 */
export function declareRoutes(app: FastifyInstance): readonly ConsoleRoute[] {
  const routes: ConsoleRoute[] = [];
  app.addHook("onRoute", (route) => {
    for (const method of [route.method].flat()) {
      const access = ACCESS[`${method === "HEAD" ? "GET" : method} ${route.url}`];
      if (access === undefined) throw new Error(`${method} ${route.url} is not in the table of routes`);
      route.config = { ...route.config, access };
      routes.push({ method, path: route.url, access });
    }
  });
  return routes;
}

/** Whether a form has to ask who somebody is: there is no login, or several people share it. */
export function asksName({ visitor }: FastifyRequest): boolean {
  return visitor?.user == null || visitor.user.kept === "Login";
}

/** Whether the reader of a page gets its buttons for alerts. */
export function mayAct({ visitor }: FastifyRequest): boolean {
  return visitor !== null && reachesRole(visitor.role, "responder");
}

/** Why this visitor may not do what needs the role; null if they may. Nobody without a name changes files. */
export function whyNot(
  visitor: { readonly user: { readonly name: string } | null; readonly role: UserRole } | null,
  needed: UserRole,
): string | null {
  if (visitor?.user == null) return `this console has no login, so nobody is an ${needed}`;
  const { user, role } = visitor;
  return reachesRole(role, needed) ? null : `${user.name} has the role ${role}, and this needs ${needed}`;
}

export function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config?.access === "Public";
}

/** What a token of this scope opens besides: whoever acts has to read. */
const INCLUDES: Readonly<Record<TokenScope, readonly TokenScope[]>> = {
  read: ["read", "atom"],
  act: ["read", "act", "atom"],
  atom: ["atom"],
  metrics: ["metrics"],
  push: ["push"],
};

type AccessDecision = "Allowed" | "NeedsRole" | "NeedsScope" | "NoSuchRoute";

/** Whether somebody with this role, or a token of theirs with this scope, may ask a route. No access: it is no route. */
export function decideAccess(
  access: Access | undefined,
  visitor: { readonly role: UserRole; readonly scope: TokenScope | null },
): AccessDecision {
  if (access === undefined) return "NoSuchRoute";
  if (access === "Public") return "Allowed";
  if (visitor.scope !== null) {
    const isOpened = access.scope !== null && INCLUDES[visitor.scope].includes(access.scope);
    if (!isOpened) return "NeedsScope";
  }
  return reachesRole(visitor.role, access.role) ? "Allowed" : "NeedsRole";
}
