import { sql } from "kysely";
import { Severity } from "../model/severity.ts";

const NAMES = sql.join([...Severity.options].reverse().map((name) => sql.lit(name)));

/** Its place in that order: 1 is the most severe. `notifications.urgency` is that of the alert when people were to be notified. */
export const urgencyOf = (severity: ReturnType<typeof sql>) =>
  sql`array_position(array[${NAMES}], coalesce(${severity}, 'info'))`;

/** For `order by`: the most severe alert `a` first. What has no alert, such as a digest, is as urgent as an info. */
export const MOST_SEVERE_FIRST = urgencyOf(sql`a.severity`);

/** The severity of an urgency. */
export const severityOf = (urgency: ReturnType<typeof sql>) => sql`(array[${NAMES}])[${urgency}]`;
