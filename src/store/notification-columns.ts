import { sql } from "kysely";

/** A row of `earshot.notifications`, as the model has it. */
export const NOTIFICATION_COLUMNS = sql`
  id, project_id as "projectId", receiver, kind, alert_id as "alertId", case when digest_name is null then null
    else json_build_object('name', digest_name, 'localDate', digest_date) end as digest, created_at as "createdAt", state, reason, attempts, attempts_before as "attemptsBefore", last_error as "lastError",
  vendor_ref as "vendorRef", coalesce(also, '[]'::jsonb) as also`;
