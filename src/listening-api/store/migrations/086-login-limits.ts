import type { Migration } from "./migration.ts";

/** What a login may call, beside what its client may. Counted as calls of clients are: see `record_call`. */
export const loginLimits: Migration = {
  name: "086-login-limits",
  statements: `
  -- Calls and minutes, such as 60/1.
  alter table local_api.api_user add column rate_limit text;
  create table local_api.login_call (
    user_id bigint not null references local_api.api_user on delete cascade,
    called_at timestamptz not null
  );
  create index on local_api.login_call (user_id, called_at);
  create function local_api.record_login_call(of_user bigint, at timestamptz, period interval, kept integer)
    returns bigint
  language plpgsql volatile as $$
  declare
    moment timestamptz;
    used bigint;
  begin
    perform pg_advisory_xact_lock(4179, of_user::integer);
    moment := coalesce(at, clock_timestamp());
    delete from local_api.login_call where user_id = of_user and called_at > moment + period;
    select greatest(moment, max(called_at)) into moment from local_api.login_call where user_id = of_user;
    delete from local_api.login_call where user_id = of_user and called_at <= moment - period;
    insert into local_api.login_call (user_id, called_at) values (of_user, moment);
    select count(*) into used from local_api.login_call where user_id = of_user;
    if used > kept then
      delete from local_api.login_call where ctid in (
        select ctid from local_api.login_call where user_id = of_user
        order by called_at limit used - kept);
    end if;
    return least(used, kept);
  end $$;
`,
};
