import type { Caller } from "../store/callers.ts";
import { wireTime } from "./wire-time.ts";

/** What /user says, to which /me links. The spec leaves it open. */
export function userRecord({ user, client, role }: Caller) {
  return {
    id: user.id,
    username: user.username,
    uiRole: role,
    firstName: user.firstName,
    lastName: user.lastName,
    clientId: client.id,
    creationDate: wireTime(user.createdAt),
  };
}
