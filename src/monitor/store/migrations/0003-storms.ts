import { type Kysely, sql } from "kysely";

/** What is asked in a storm of alerts is read in the order of an index, however many are open or wait. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(STORMS).execute(db);
}

const STORMS = `
-- 1: its alert was as severe as can be. A waiting one rises with a later one about the same alert.
alter table earshot.notifications add column urgency smallint not null default 3;
update earshot.notifications n set urgency = array_position(array['critical', 'warning', 'info'], a.severity)
from earshot.alerts a where n.alert_id = a.id and n.project_id = a.project_id;

drop index earshot.notifications_due_of;
create index notifications_waiting on earshot.notifications (receiver, urgency, id) where state = 'due';
create index notifications_in_hand on earshot.notifications (receiver) where state = 'due' and leased_until_wall is not null;
-- What a throttle looks back on.
create index notifications_decided on earshot.notifications (receiver, created_at) where alert_id is not null;

create index alerts_open on earshot.alerts (project_id, query_id, rule, last_seen_at) where state <> 'resolved';
create index alerts_firing on earshot.alerts (project_id, severity, opened_at) where fired_at is not null and resolved_at is null;
`;
