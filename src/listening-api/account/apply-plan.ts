import { randomBytes } from "node:crypto";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { KEEP_MENTIONS_FOR } from "../operate/keep-mentions.ts";
import { listClients, updateClient } from "../store/account-lists.ts";
import {
  type ClientDetails,
  createClient,
  createUser,
  findOwner,
  findUser,
  listMemberships,
  putMembership,
  removeMembership,
  updateUser,
} from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { deleteClient, deleteProject, deleteSavedList, deleteUser } from "../store/delete-things.ts";
import { revokeTokens } from "../store/logins.ts";
import { dropMentionMonthsBefore } from "../store/mention-months.ts";
import { hashPassword } from "../store/password.ts";
import { listProjects, putProject, updateProject } from "../store/projects.ts";
import { createSavedList, LIST_KINDS, type ListSharing, updateSavedList } from "../store/saved-lists.ts";
import { putSetting } from "../store/settings.ts";
import { lockWriting } from "../store/write-order.ts";
import type { Kind } from "./account-schema.ts";
import { idsByName, isNothing, partsOf, type Step, stepsOf } from "./plan-account.ts";
import { saveContents } from "./save-contents.ts";
import { KEEP_MENTIONS_FROM, LIST_FIELDS, tagsOf } from "./stored-account.ts";

/**
 * Applies a plan inside the caller's transaction, as the calls of the API would: a query searches stored mentions,
 * a rule labels them, a new name shows in their records. Gives the invented passwords by login.
 */
export async function applyPlan(
  db: Database,
  account: Step,
  at: Instant,
): Promise<ReadonlyMap<string, string>> {
  const from = account.fields["keepMentionsFrom"];
  // Who drops mentions of all projects locks all.
  await lockWriting(db, typeof from === "string" ? "all" : projectsToLock(account));
  const clients = new Map<Step, number>();
  const projects = new Map<Step, number>();
  for (const client of partsOf(account, "client")) clients.set(client, await saveClient(db, client, at));
  for (const [client, clientId] of clients)
    for (const project of partsOf(client, "project"))
      projects.set(project, await saveProject(db, project, clientId));
  const passwords = new Map<string, string>();
  const clientIds = idsByName(await listClients(db), partsOf(account, "client"));
  for (const user of partsOf(account, "user")) await saveUser(db, user, { at, passwords, clientIds });
  for (const [client, clientId] of clients) {
    for (const project of partsOf(client, "project"))
      await saveContents(db, { client, project }, { clientId, projectId: projects.get(project) ?? 0, at });
    await saveLists(db, client, clientId);
  }
  const deleted = stepsOf(account).filter(({ action }) => action === "delete");
  for (const [kind, remove] of DELETE)
    for (const { kind: own, stored } of deleted)
      if (own === kind && stored !== undefined) await remove(db, stored.id);
  if (account.action === "change") {
    await putSetting(db, KEEP_MENTIONS_FROM, from ?? null);
    await putSetting(db, KEEP_MENTIONS_FOR, account.fields["keepMentionsFor"] ?? null);
  }
  if (typeof from === "string") await dropMentionMonthsBefore(db, Date.parse(from));
  return passwords;
}

/**
 * The stored projects that it changes or deletes. All of them are locked at once, in the order of every writer, whatever
 * the order of the file: two that lock several never wait for each other.
 */
function projectsToLock(account: Step): readonly number[] {
  return account.parts
    .filter(({ kind }) => kind === "client")
    .flatMap((client) =>
      client.action === "delete"
        ? (client.stored?.parts.project ?? [])
        : client.parts.flatMap((part) =>
            part.kind === "project" && part.stored !== undefined && !isNothing(part) ? [part.stored] : [],
          ),
    )
    .map(({ id }) => id);
}

/** In this order; what is in a project goes with its contents. */
const DELETE: readonly (readonly [Kind, (db: Database, id: number) => Promise<void>])[] = [
  ["site list", deleteSavedList],
  ["author list", deleteSavedList],
  ["location list", deleteSavedList],
  ["project", deleteProject],
  ["client", deleteClient],
  ["user", deleteUser],
];

async function saveClient(
  db: Database,
  { action, name, stored, fields }: Step,
  createdAt: Instant,
): Promise<number> {
  const limit = fields["rateLimit"] as string | null;
  const client = {
    name,
    tags: tagsOf(limit, fields["tags"] as Record<string, string>),
    details: fields["details"] as ClientDetails,
  };
  if (stored === undefined) return createClient(db, { ...client, createdAt });
  if (action === "change") await updateClient(db, { id: stored.id, ...client });
  return stored.id;
}

async function saveProject(
  db: Database,
  { action, name, stored, fields }: Step,
  clientId: number,
): Promise<number> {
  const project = {
    name,
    description: String(fields["description"]),
    timezone: String(fields["timezone"]),
    defaultLanguage: String(fields["language"]),
    dataPolicy: fields["dataPolicy"] as string | null,
  };
  if (stored === undefined) return putProject(db, { clientId, ...project });
  if (action === "change") await updateProject(db, { id: stored.id, ...project });
  return stored.id;
}

async function saveUser(
  db: Database,
  { action, name: username, stored, fields, changes }: Step,
  {
    at,
    passwords,
    clientIds,
  }: { at: Instant; passwords: Map<string, string>; clientIds: ReadonlyMap<string, number> },
): Promise<void> {
  if (action === "none") return;
  const isNewPassword = changes.some(({ name }) => name === "password");
  const invented = stored === undefined && !isNewPassword ? randomBytes(15).toString("base64url") : undefined;
  if (invented !== undefined) passwords.set(username, invented);
  const passwordHash =
    invented !== undefined || isNewPassword
      ? await hashPassword(invented ?? String(fields["password"]))
      : undefined;
  const lifetime = fields["tokenLifetime"] as string | null;
  const rateLimit = fields["rateLimit"] as string | null;
  const user = {
    username,
    firstName: String(fields["firstName"]),
    lastName: String(fields["lastName"]),
    ...(lifetime === null ? {} : { tokenLifetimeSeconds: Number.parseInt(lifetime, 10) }),
    ...(rateLimit === null ? {} : { rateLimit }),
    passwordHash,
  };
  const id =
    stored?.id ?? (await createUser(db, { ...user, passwordHash: passwordHash ?? "", createdAt: at }));
  if (stored !== undefined) await updateUser(db, id, user);
  // Sessions of an earlier password end.
  if (stored !== undefined && isNewPassword) await revokeTokens(db, { userId: id });
  const roles = Object.entries(fields["clients"] as Record<string, string>);
  const roleOf = new Map(roles.map(([client, role]) => [clientIds.get(client) ?? 0, role]));
  for (const { clientId } of await listMemberships(db, id))
    if (!roleOf.has(clientId)) await removeMembership(db, { userId: id, clientId });
  for (const [clientId, role] of roleOf) await putMembership(db, { userId: id, clientId, role });
}

async function saveLists(db: Database, client: Step, clientId: number): Promise<void> {
  const known = await listProjects(db, clientId);
  const projects = idsByName(known, partsOf(client, "project"));
  for (const kind of LIST_KINDS) {
    for (const { action, name, stored, fields } of partsOf(client, `${kind} list`)) {
      if (action === "none") continue;
      const shown = (fields["projects"] as string[] | undefined) ?? known.map((project) => project.name);
      const list = {
        name,
        shared: fields["shared"] as ListSharing,
        sharedProjectIds: shown.map((project) => projects.get(project) ?? 0),
        entries: fields[LIST_FIELDS[kind]] as string[],
        userId: await ownerOf(db, client, { clientId, owner: fields["owner"] as string | undefined }),
      };
      if (stored === undefined) await createSavedList(db, kind, { clientId, ...list });
      else await updateSavedList(db, stored.id, list);
    }
  }
}

/** The login that is named, or the first one of the client. */
async function ownerOf(
  db: Database,
  client: Step,
  { clientId, owner }: { clientId: number; owner: string | undefined },
): Promise<number> {
  const user = await findUser(db, owner ?? (await findOwner(db, clientId)));
  if (user !== undefined) return user.id;
  throw new UserError(`The client ${JSON.stringify(client.name)} has no login that could own its lists.`, [
    "give a login of the section users a role in it",
  ]);
}
