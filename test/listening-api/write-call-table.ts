import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callTable } from "./call-table.ts";

/** Writes the table of calls into docs/listening-api.md: `npm run calls`. */
const page = join(import.meta.dirname, "../../docs/listening-api.md");
const text = await readFile(page, "utf8");
const [before = "", rest = ""] = text.split(/(?<=## Served\n\n)/);
await writeFile(page, `${before}${callTable()}${rest.slice(rest.indexOf("\n\n") + 1)}`);
