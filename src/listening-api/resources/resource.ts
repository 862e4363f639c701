import type { Instant } from "../../lib/instant.ts";
import { type BodyReader, quote } from "../parameters/body-reader.ts";
import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { Caller } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import type { StoredProject } from "../store/projects.ts";
import { LIST_SHARINGS } from "../store/saved-lists.ts";

/** A thing of a project with an id and a name: all are listed, read, created, changed and deleted in the same way. */
export interface NamedThing {
  readonly id: number;
  readonly name: string;
}

/** The caller of a write. `db` is its transaction. */
export interface ResourceScope {
  readonly db: Database;
  readonly project: StoredProject;
  readonly caller: Caller;
  readonly at: Instant;
  /** All projects that the caller may see. */
  readonly projectIds: ReadonlySet<number>;
  /** Of things below a query. */
  readonly queryId?: number;
}

export interface Resource<Thing extends NamedThing = NamedThing, Settings = unknown> {
  /** In messages and in the list of changes: `query group`. */
  readonly noun: string;
  /** Below the project, or below `queries/:queryId`. `path` lists and makes, `path/:id` reads, changes and deletes. */
  readonly path: string;
  /** Where else the things are listed, with what is shown of each there. */
  readonly alsoListedAt?: Readonly<Record<string, (thing: Thing) => object>>;
  /** The envelope of the list says how many there are. */
  readonly isCounted: boolean;
  /** The list is an array without an envelope. */
  readonly isBare?: true;
  /** A second one of the same name is refused, or found to be there already. */
  readonly isUniqueByName: boolean;
  /** Default: as far as the wanted settings say something. */
  readonly isSame?: (known: Settings, settings: Settings) => boolean;
  readonly createdStatus: 200 | 201;
  /** Several projects may show one thing: it belongs to the client. */
  readonly isOfClient?: true;
  /** A body that is larger is refused. Default: 256 kB. */
  readonly bodyLimit?: number;
  /** Parameters of the list besides those that all lists have: gives what is shown of it, in its order. */
  readonly readSelection?: (parameters: ParameterReader) => (things: readonly Thing[]) => readonly Thing[];
  /** Fields of the list besides its envelope. */
  readonly beside?: (records: readonly object[], scope: ResourceScope) => Promise<object>;
  /** The things of the project that the caller sees, in the order of the ids. */
  readonly list: (scope: ResourceScope) => Promise<readonly Thing[]>;
  readonly record: (thing: Thing) => object;
  /** Reports faults to the reader. When a thing is changed, fields missing in the body stay. */
  readonly read: (body: BodyReader, scope: ResourceScope, current?: Thing) => Settings | Promise<Settings>;
  /** What `read` would give for a body that names everything as it is. */
  readonly settingsOf: (thing: Thing) => Settings;
  /** Gives the id, or the thing itself where the project's own list may not show it. */
  readonly create: (scope: ResourceScope, settings: Settings) => Promise<number | Thing>;
  /** Gives the thing where the project's own list may not show it any more. */
  readonly update: (scope: ResourceScope, thing: Thing, settings: Settings) => Promise<unknown>;
  readonly remove: (scope: ResourceScope, thing: Thing) => Promise<void>;
}

/** So that each resource is checked with its own types and the list of them needs none. */
export function defineResource<Thing extends NamedThing, Settings>(
  resource: Resource<Thing, Settings>,
): Resource {
  return resource as unknown as Resource;
}

interface Sharing {
  readonly shared: string;
  readonly sharedProjectIds: readonly number[];
}

/** `shared` and `sharedProjectIds`. The project of another client gets the same answer as one that does not exist. */
export function readSharing(body: BodyReader, scope: ResourceScope, current: Sharing | undefined): Sharing {
  const { shared } = body.body;
  const known = LIST_SHARINGS.find((sharing) => sharing === shared);
  if (body.has("shared") && known === undefined)
    body.fault(`shared: expected ${LIST_SHARINGS.join(" or ")}, got ${quote(shared)}.`);
  const { sharedProjectIds } = body.body;
  const isList = !body.has("sharedProjectIds") || Array.isArray(sharedProjectIds);
  if (!isList)
    body.fault(`sharedProjectIds: expected an array of project ids, got ${quote(sharedProjectIds)}.`);
  const given = isList ? body.integers("sharedProjectIds") : undefined;
  for (const id of given?.filter((id) => !scope.projectIds.has(id)) ?? [])
    body.fault(`sharedProjectIds: ${id} is no project of this user.`);
  const usual = current?.sharedProjectIds ?? [scope.project.id];
  return {
    shared: known ?? current?.shared ?? "public",
    sharedProjectIds:
      given === undefined ? usual : given.length === 0 ? [scope.project.id] : [...new Set(given)],
  };
}
