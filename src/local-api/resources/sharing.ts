import { LIST_SHARINGS } from "../store/saved-lists.ts";
import { type BodyReader, quote } from "./body-reader.ts";
import type { ResourceScope } from "./resource.ts";

export interface Sharing {
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
