import { readFile } from "node:fs/promises";
import { z } from "zod";
import { UserRole } from "#monitor";
import { readYaml } from "../lib/read-yaml.ts";

const Named = z.object({ name: z.string(), role: UserRole });
const Written = z.object({
  web: z
    .object({
      login: z.object({ username: z.string() }).optional().catch(undefined),
      admins: z.array(z.string()).catch([]),
      users: z.array(Named.nullable().catch(null)).catch([]),
    })
    .catch({ login: undefined, admins: [], users: [] }),
});

/** The users that earshot.yaml names, the shared login among them. Needs none of its secrets, and finds no faults. */
export async function usersOfFile(file: string): Promise<readonly z.output<typeof Named>[]> {
  const { content } = readYaml(file, await readFile(file, "utf8"));
  const { login, admins, users } = Written.catch({ web: { login: undefined, admins: [], users: [] } }).parse(
    content,
  ).web;
  const shared = login?.username;
  return [
    ...(shared === undefined
      ? []
      : [{ name: shared, role: admins.includes(shared) ? ("admin" as const) : ("responder" as const) }]),
    ...users.filter((one) => one !== null),
  ];
}
