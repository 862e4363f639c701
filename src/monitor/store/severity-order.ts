import { sql } from "kysely";
import { Severity } from "../model/severity.ts";

const NAMES = sql.join([...Severity.options].reverse().map((name) => sql.lit(name)));

/** For `order by`: the most severe alert `a` first. What has no alert, such as a digest, is as urgent as an info. */
export const MOST_SEVERE_FIRST = sql`array_position(array[${NAMES}], coalesce(a.severity, 'info'))`;
