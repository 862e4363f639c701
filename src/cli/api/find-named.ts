import { closestWord } from "../../lib/closest-word.ts";
import { didYouMean, UserError } from "../../lib/errors.ts";
import { sanitizeLine } from "./sanitize-terminal.ts";

export interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Finds an item of a list by its id, its name, or a unique part of the name, ignoring case. Throws a UserError that
 * lists the known items.
 */
export function findNamed(what: string, wanted: string, list: readonly Named[]): Named {
  const byId = list.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId;
  const name = fold(wanted);
  const whole = list.filter((one) => fold(one.name) === name);
  const found = whole.length > 0 ? whole : list.filter((one) => fold(one.name).includes(name));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new UserError(`several of the ${plural(what)} are called "${wanted}"`, named(found));
  const near = closestWord(
    wanted,
    list.map((one) => one.name),
  );
  const hint = didYouMean(near === undefined ? near : sanitizeLine(near));
  throw new UserError(`there is no ${what} "${wanted}"${hint}`, named(list));
}

/** `id  name` lines; a long list is cut. */
export function named(list: readonly Named[]): string[] {
  const lines = list.slice(0, 20).map(({ id, name }) => `${id.padEnd(12)} ${sanitizeLine(name)}`);
  return list.length > 20 ? [...lines, `and ${list.length - 20} more`] : lines;
}

export function plural(what: string): string {
  return what.endsWith("y") ? `${what.slice(0, -1)}ies` : `${what}s`;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}
