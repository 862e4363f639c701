import { readFile } from "node:fs/promises";
import { UserError, whyUnread } from "../../lib/errors.ts";

/** The password in a file that a flag names. */
export async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(`--password-file ${file} cannot be read: ${whyUnread(error)}`);
  });
  return withoutLineEnd(text);
}

/** Editors end a file with a line break that is not part of the password. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
