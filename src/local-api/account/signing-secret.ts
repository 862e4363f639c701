import { randomBytes } from "node:crypto";
import { z } from "zod";
import { createDatabase, type DatabasePool } from "../store/database.ts";
import { settingOr } from "../store/settings.ts";

/** What signs the cursors: the same in all processes on these tables, now and after every restart. */
export async function signingSecret(pool: DatabasePool): Promise<string> {
  const invented = randomBytes(32).toString("base64url");
  return z.string().parse(await settingOr(createDatabase(pool), "signing-secret", invented));
}
