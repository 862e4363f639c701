import type { OpenAlertActions } from "#admin";
import type { Alert } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import { toIso } from "../../lib/instant.ts";

/** Finds an alert by its id, the start of its id, or its address on the console. Throws a UserError otherwise. */
export async function findAlert(
  stores: Pick<OpenAlertActions["stores"], "alerts">,
  text: string,
): Promise<Alert> {
  const found = await findAlertOrNull(stores, text);
  if (found !== null) return found;
  throw new UserError(`there is no alert "${text}"`, ["earshot alerts list shows those that are open"]);
}

export async function findAlertOrNull(
  stores: Pick<OpenAlertActions["stores"], "alerts">,
  text: string,
): Promise<Alert | null> {
  const id = text.replace(/^.*\/alerts\//, "").replace(/[?#].*$/, "");
  if (!/^[0-9a-f-]{6,36}$/i.test(id)) return null;
  const found = await stores.alerts.findByPrefix(id);
  if (found.length > 1) {
    throw new UserError(
      `more than one alert begins with "${id}"; give the whole id of one of these`,
      found.map((one) => `${one.id}  ${one.queryName}, ${one.rule}, since ${toIso(one.openedAt)}`),
    );
  }
  return found[0] ?? null;
}
