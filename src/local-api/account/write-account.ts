import { isDeepStrictEqual } from "node:util";
import { Document, isMap, isScalar, isSeq, Scalar, visit } from "yaml";
import { counted } from "../../lib/counted.ts";
import { escapeActing } from "../../lib/escape-acting.ts";
import type { JsonValue } from "../../lib/json.ts";
import { KINDS } from "./account-schema.ts";
import type { StoredThing } from "./stored-account.ts";

interface Content {
  [key: string]: JsonValue | Content[];
}

/**
 * The account as a YAML file that `apply` accepts and finds nothing to change in. Ids, and the mentions of queries, are
 * comments. Fields with their usual value are left out.
 */
export function accountYaml(account: StoredThing, mentions: ReadonlyMap<number, number>): string {
  const document = new Document(contentOf(account, false));
  comment(document.contents, account, mentions);
  visit(document, {
    // Plain text could end its line, or act on a terminal.
    Scalar: (_, node) => {
      if (typeof node.value === "string" && /[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u.test(node.value))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeActing(document.toString({ lineWidth: 0 }));
}

/** The same for programs: each thing with its id. `apply` accepts it for the same tables. */
export function accountJson(account: StoredThing): object {
  return contentOf(account, true);
}

function contentOf(thing: StoredThing, withIds: boolean): Content {
  const { kind, name, id, fields, parts } = thing;
  const { defaults, parts: kinds } = KINDS[kind];
  const content: Content = {};
  if (kind !== "account") content[kind === "user" ? "username" : "name"] = name;
  if (withIds && kind !== "account") content["id"] = id;
  for (const [field, value] of Object.entries(fields))
    if (!isDeepStrictEqual(value, defaults[field]) && !(field === "owner" && value === null))
      content[field] = value;
  for (const part of kinds) {
    const things = parts[part] ?? [];
    if (things.length === 0) continue;
    const names = things.map((one) => one.name);
    content[KINDS[part].section] = things.map((one) =>
      contentOf(one, withIds || names.indexOf(one.name) !== names.lastIndexOf(one.name)),
    );
  }
  return content;
}

/** Behind the name of each thing. */
function comment(node: unknown, thing: StoredThing, mentions: ReadonlyMap<number, number>): void {
  if (!isMap(node)) return;
  const [first] = node.items;
  if (thing.kind !== "account" && isScalar(first?.value)) {
    const volume = thing.kind === "query" ? `, ${counted(mentions.get(thing.id) ?? 0, "mention")}` : "";
    first.value.comment = ` id ${thing.id}${volume}`;
  }
  for (const kind of KINDS[thing.kind].parts) {
    const section = node.get(KINDS[kind].section);
    if (!isSeq(section)) continue;
    for (const [index, part] of (thing.parts[kind] ?? []).entries())
      comment(section.items[index], part, mentions);
  }
}
