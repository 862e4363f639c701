import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../lib/json.ts";
import { type BodyReader, quote } from "../parameters/body-reader.ts";
import { listCategories, listTags } from "../store/labels.ts";
import { listQueries } from "../store/queries.ts";
import {
  deleteSignalGroup,
  listSignalGroups,
  type SignalGroupSettings,
  type StoredSignalGroup,
  type Subscriber,
  saveSignalGroup,
} from "../store/signal-groups.ts";
import { defineResource } from "./resource.ts";

const MAX_SUBSCRIBERS = 1_000;
export const THRESHOLDS: readonly number[] = [1, 2, 3];

/** Who is to be notified of what is unusual. They are kept and shown; Earshot's own rules are what notifies. */
export const signalGroups = defineResource<StoredSignalGroup, SignalGroupSettings>({
  noun: "signal group",
  path: "signals/groups",
  isCounted: true,
  isUniqueByName: true,
  isSame: isDeepStrictEqual,
  createdStatus: 201,
  list: ({ db, project }) => listSignalGroups(db, project.id),
  record: (group) => ({ ...group }),
  async read(body, { db, project }, current) {
    const queries = new Set((await listQueries(db, project.id)).map(({ id }) => id));
    const tags = new Set((await listTags(db, project.id)).map(({ id }) => id));
    const categories = new Set(
      (await listCategories(db, project.id)).flatMap(({ id, children }) => [
        id,
        ...children.map((one) => one.id),
      ]),
    );
    const queryIds = readIds(body, "queryIds", queries, "query") ?? current?.queryIds;
    if (queryIds === undefined || queryIds.length === 0)
      body.fault("queryIds: required, an array of the ids of at least one query.");
    const name = body.name(current?.name);
    const subscribers = readSubscribers(body) ?? current?.subscribers;
    if (subscribers === undefined && !body.has("subscribers"))
      body.fault(
        'subscribers: required, an array such as [{"emailAddress": "ann@acme.example", "notificationThreshold": 1}].',
      );
    body.accept("id", "projectId");
    return {
      name,
      queryIds: queryIds ?? [],
      includeTagIds: readIds(body, "includeTagIds", tags, "tag") ?? current?.includeTagIds ?? [],
      excludeTagIds: readIds(body, "excludeTagIds", tags, "tag") ?? current?.excludeTagIds ?? [],
      includeCategoryIds:
        readIds(body, "includeCategoryIds", categories, "category") ?? current?.includeCategoryIds ?? [],
      excludeCategoryIds:
        readIds(body, "excludeCategoryIds", categories, "category") ?? current?.excludeCategoryIds ?? [],
      subscribers: subscribers ?? [],
    };
  },
  settingsOf: ({ id, ...settings }) => settings,
  create: ({ db, project }, settings) => saveSignalGroup(db, project.id, settings),
  update: ({ db, project }, { id }, settings) => saveSignalGroup(db, project.id, settings, id),
  remove: ({ db }, { id }) => deleteSignalGroup(db, id),
});

function readIds(
  body: BodyReader,
  field: string,
  known: ReadonlySet<number>,
  what: string,
): readonly number[] | undefined {
  const ids = body.integers(field);
  for (const id of ids?.filter((one) => !known.has(one)) ?? [])
    body.fault(`${field}: ${id} is no ${what} of this project.`);
  return ids && [...new Set(ids)];
}

function readSubscribers(body: BodyReader): readonly Subscriber[] | undefined {
  return body.list("subscribers", MAX_SUBSCRIBERS)?.flatMap((entry, index) => {
    const { emailAddress, notificationThreshold } = isRecord(entry)
      ? entry
      : { emailAddress: undefined, notificationThreshold: undefined };
    const isAddress = typeof emailAddress === "string" && isMailAddress(emailAddress);
    const threshold = THRESHOLDS.find((one) => one === notificationThreshold);
    const at = `subscribers[${index}]`;
    if (!isAddress)
      body.fault(
        `${at}.emailAddress: expected an address such as ann@acme.example, got ${quote(emailAddress)}.`,
      );
    if (threshold === undefined)
      body.fault(
        `${at}.notificationThreshold: expected 1 (all), 2 (medium and high) or 3 (high), got ${quote(notificationThreshold)}.`,
      );
    return isAddress && threshold !== undefined ? [{ emailAddress, notificationThreshold: threshold }] : [];
  });
}

/** Roughly: it is shown, and nothing is sent to it from here. */
export function isMailAddress(text: string): boolean {
  return text.length <= 320 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text);
}
