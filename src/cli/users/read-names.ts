import { ROLE_WORDS, UserName, UserRole } from "#monitor";
import { UserError } from "../../lib/errors.ts";

/** The name that somebody typed for a user. Throws a UserError that says what a name is. */
export function nameIn(text: string): string {
  const read = UserName.safeParse(text);
  if (!read.success)
    throw new UserError(
      `"${text}" is no name`,
      read.error.issues.map(({ message }) => message),
    );
  return read.data;
}

/** The same for a role. */
export function roleIn(text: string): UserRole {
  const read = UserRole.safeParse(text);
  if (read.success) return read.data;
  throw new UserError(
    `there is no role "${text}"`,
    UserRole.options.map((role) => `${role}: ${ROLE_WORDS[role]}`),
  );
}
