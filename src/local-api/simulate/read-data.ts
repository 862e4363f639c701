import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { z } from "zod";
import { shippedFolder } from "../../lib/shipped-folder.ts";

/** A file of `data/`, which is read where the program lies. Throws where it does not have the shape. */
export function readData<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  const path = join(shippedFolder("src/local-api/simulate/data"), file);
  const read = schema.safeParse(parse(readFileSync(path, "utf8")));
  if (read.success) return read.data;
  throw new Error(`${path} has a fault: ${read.error.message}`);
}
