import { GAZETTEER } from "../places/gazetteer.ts";
import type { StoredList } from "../store/saved-lists.ts";

export function siteListRecord(list: StoredList) {
  const { id, name, shared, sharedProjectIds, entries, userId, userName } = list;
  return { id, name, shared, sharedProjectIds, domains: entries, userId, userName };
}

export function authorListRecord(list: StoredList) {
  const { id, name, shared, sharedProjectIds, entries, userId, userName } = list;
  return { id, name, shared, sharedProjectIds, authors: entries, userId, userName };
}

export function locationListRecord(list: StoredList) {
  const { id, name, shared, sharedProjectIds, entries, userName, userId } = list;
  const locations = entries.flatMap((entry) => GAZETTEER.get(entry) ?? []).map(locationRecord);
  return { id, name, shared, sharedProjectIds, locations, userName, userId };
}

function locationRecord({
  id,
  name,
  type,
  fullName,
}: {
  id: string;
  name: string;
  type: string;
  fullName: string;
}) {
  return { id, name, type, fullName };
}
