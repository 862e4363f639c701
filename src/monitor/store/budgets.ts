import { type RawBuilder, sql } from "kysely";
import {
  type CallBudget,
  CLOCK_AHEAD_MS,
  type Priority,
  type PrioritySlots,
  type RateLimit,
  type Sharing,
} from "../model/poll.ts";
import type { Db } from "./database.ts";

/** A call that may be made: its slot in the window, and its id. Null where the account has no limit. */
export interface CallSlot {
  readonly slot: number;
  readonly call: string;
}

export type BudgetStore = ReturnType<typeof createBudgetStore>;

/** The limit until a tag or a header gives another: the documented default of the API. */
const ASSUMED: RateLimit = { limit: 30, periodMs: 600_000 };

type Moment = RawBuilder<unknown>;

/**
 * The rate budget of one account. A window of `limit` calls is `limit` rows, the slots. Each call takes one free row in
 * one statement and skips rows that others are taking. Its row is free again one window after the answer. So a slot
 * holds at most one call in any window, and a window at most `limit` calls, with any number of processes. `now` is the
 * database's clock, except in tests.
 */
export function createBudgetStore(db: Db, account: string, now: () => Moment = () => sql`clock_timestamp()`) {
  const ms = (duration: number) => sql`make_interval(secs => ${duration / 1_000})`;

  const read = async (): Promise<CallBudget> => {
    const { rows } = await sql<Omit<CallBudget, "limit"> & { calls: number | null; periodMs: number }>`
      select b.calls, b.period_ms as "periodMs", b.learned_from as "learnedFrom", b.refusals, b.turn, b.sharing,
        p.used, p.others as "usedByOthers",
        greatest(0, extract(epoch from case when b.closed_until_wall > ${now()}
          then b.closed_until_wall - ${now()} else interval '0' end) * 1000)::float8 as "closedForMs",
        (extract(epoch from ${now()} - b.sharing_tried_wall) * 1000)::float8 as "sharingTriedMsAgo",
        case when b.paced_at_wall > '-infinity' and b.paced_at_wall <= ${now()} + ${AHEAD}
          then (extract(epoch from ${now()} - b.paced_at_wall) * 1000)::float8 end as "pacedMsAgo"
      from earshot.budgets b cross join lateral (
        select count(*) as used, count(*) filter (where taken_for = 'others') as others
        from earshot.budget_slots
        where account = b.account and slot <= coalesce(b.calls, 0) and free_at_wall > ${now()}) p
      where b.account = ${account}
    `.execute(db);
    const found = rows[0];
    if (found === undefined) {
      await learn(db, ASSUMED, "assumed");
      return read();
    }
    const { calls, periodMs, ...rest } = found;
    return { ...rest, limit: calls === null ? null : { limit: calls, periodMs } };
  };

  /** Stores a new limit of the account. Calls beyond a smaller limit keep slots below it until they end. */
  const learn = async (on: Db, limit: RateLimit | null, from: CallBudget["learnedFrom"]): Promise<void> => {
    const periodMs = limit?.periodMs ?? ASSUMED.periodMs;
    await on.transaction().execute(async (tx) => {
      await sql`
        insert into earshot.budgets (account, calls, period_ms, learned_from)
        values (${account}, ${limit?.limit ?? null}, ${periodMs}, ${from})
        on conflict (account) do ${
          from === "assumed"
            ? sql`nothing`
            : sql`update
          set calls = excluded.calls, period_ms = excluded.period_ms, learned_from = excluded.learned_from`
        }
      `.execute(tx);
      if (limit === null) return;
      await sql`
        insert into earshot.budget_slots (account, slot)
        select ${account}, slot from generate_series(1, ${Math.min(limit.limit, MOST_SLOTS)}) slot
        on conflict do nothing
      `.execute(tx);
      await sql`
        update earshot.budget_slots p set free_at_wall = high.free_at_wall, call = null, taken_for = high.taken_for
        from (select free_at_wall, taken_for, row_number() over (order by free_at_wall desc) as nth
              from earshot.budget_slots
              where account = ${account} and slot > ${limit.limit} and free_at_wall > ${now()}) high
        join (select slot, row_number() over (order by slot desc) as nth from (
                select slot from earshot.budget_slots
                where account = ${account} and slot <= ${limit.limit} and free_at_wall <= ${now()}
                for update) free) low using (nth)
        where p.account = ${account} and p.slot = low.slot
      `.execute(tx);
    });
  };

  /** Takes free slots for calls of others, the highest first: those are the margin. */
  const takeForOthers = (on: Db, budget: RateLimit, count: RawBuilder<unknown>) =>
    sql`
      update earshot.budget_slots set free_at_wall = ${now()} + ${ms(budget.periodMs)}, call = null, taken_for = 'others'
      where account = ${account} and slot in (
        select slot from earshot.budget_slots
        where account = ${account} and slot <= ${budget.limit} and free_at_wall <= ${now()}
        order by slot desc limit ${count} for update)
    `.execute(on);

  const lock = (on: Db) => sql`select from earshot.budgets where account = ${account} for update`.execute(on);

  return {
    read,

    /** Whether the budget of this account is known. Reading it writes nothing. */
    async isKept(): Promise<boolean> {
      const { rows } = await sql`select from earshot.budgets where account = ${account}`.execute(db);
      return rows.length > 0;
    },

    learn: (limit: RateLimit | null, from: "client" | "answer") => learn(db, limit, from),

    /**
     * Takes a slot for one call of at most `timeoutMs`. Null: this priority has no free slot, the source refuses calls,
     * or the limit is no longer `budget.limit`.
     */
    async take(
      budget: RateLimit,
      { slots, priority, timeoutMs }: { slots: PrioritySlots; priority: Priority; timeoutMs: number },
    ): Promise<CallSlot | null> {
      const { rows } = await sql<CallSlot>`
        update earshot.budget_slots
        set free_at_wall = ${now()} + ${ms(timeoutMs + budget.periodMs)}, call = gen_random_uuid(),
          taken_for = ${priority}
        where account = ${account} and slot = (
          select slot from earshot.budget_slots
          where account = ${account} and slot between ${slots.from} and ${slots.to} and free_at_wall <= ${now()}
            and exists (select from earshot.budgets b where b.account = ${account} and b.calls = ${budget.limit}
              and b.period_ms = ${budget.periodMs} and b.closed_until_wall <= ${now()})
          order by slot ${priority === "background" || priority === "shell" ? sql`asc` : sql`desc`} limit 1
          for update skip locked)
        returning slot, call
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Milliseconds until a slot of this priority is free. 0: now. */
    async waitMs(slots: PrioritySlots): Promise<number> {
      const { rows } = await sql<{ ms: number }>`
        select greatest(0, extract(epoch from case when until = '-infinity' then interval '0' else until - ${now()} end) * 1000)::float8
          as ms
        from (select greatest(min(p.free_at_wall), min(b.closed_until_wall)) as until
          from earshot.budget_slots p join earshot.budgets b using (account)
          where account = ${account} and slot between ${slots.from} and ${slots.to}) room
      `.execute(db);
      return Math.ceil(rows[0]?.ms ?? 0);
    },

    /** The call has ended: its slot is free one window from now. */
    async settle(slot: CallSlot, periodMs: number): Promise<void> {
      await sql`
        update earshot.budget_slots set free_at_wall = ${now()} + ${ms(periodMs)}
        where account = ${account} and slot = ${slot.slot} and call = ${slot.call}::uuid
      `.execute(db);
    },

    /** Applies the number of used calls from an answer: those that we do not know of were made by others. */
    async reconcile(budget: RateLimit, used: number): Promise<void> {
      const occupied = sql<{ n: number }>`
        select count(*) as n from earshot.budget_slots
      where account = ${account} and slot <= ${budget.limit} and free_at_wall > ${now()}`;
      if (used <= ((await occupied.execute(db)).rows[0]?.n ?? 0)) return;
      await db.transaction().execute(async (tx) => {
        await lock(tx);
        const missing = used - ((await occupied.execute(tx)).rows[0]?.n ?? 0);
        if (missing > 0) await takeForOthers(tx, budget, sql`${missing}`);
      });
    },

    /**
     * The source refused a call, so the window is full, whatever our count says. It is closed for `retryAfterMs` if the
     * source gives that; else until a slot is free again, and longer after repeated refusals.
     */
    async refuse(retryAfterMs: number | null): Promise<void> {
      const { limit } = await read();
      const budget = limit ?? ASSUMED;
      await db.transaction().execute(async (tx) => {
        await lock(tx);
        // If the source names a time, that time counts more than our own count.
        if (limit !== null && retryAfterMs === null) await takeForOthers(tx, limit, sql`all`);
        await sql`
          update earshot.budgets
          set refusals = refusals + 1, closed_until_wall = greatest(closed_until_wall, ${now()} + case
            when ${retryAfterMs}::float8 is not null then ${ms(retryAfterMs ?? 0)}
            when refusals = 0 then ${ms(limit === null ? NO_LIMIT_WAIT_MS : 0)}
            when refusals = 1 then ${ms(budget.periodMs / 4)}
            else ${ms(budget.periodMs)} end)
          where account = ${account}
        `.execute(tx);
      });
    },

    /** A call was answered: the refusals have ended. */
    async accept(): Promise<void> {
      await sql`update earshot.budgets set refusals = 0 where account = ${account} and refusals > 0
      `.execute(db);
    },

    /**
     * Takes the next planned call if it is due: at most one in `spacingMs`, for all processes together. Calls of the
     * last `catchUpMs` that nobody took are made up for. Returns its number, or null.
     */
    async nextTurn(spacingMs: number, catchUpMs: number): Promise<number | null> {
      const { rows } = await sql<{ turn: number }>`
        update earshot.budgets
        set paced_at_wall = case when paced_at_wall > ${now()} + ${AHEAD} then ${now()}
            else greatest(paced_at_wall + ${ms(spacingMs)}, ${now()} - ${ms(catchUpMs)}) end, turn = turn + 1
        where account = ${account}
          and (paced_at_wall + ${ms(spacingMs)} <= ${now()} or paced_at_wall > ${now()} + ${AHEAD}) and closed_until_wall <= ${now()}
        returning turn
      `.execute(db);
      return rows[0]?.turn ?? null;
    },

    async setSharing(sharing: Sharing): Promise<void> {
      await sql`
        update earshot.budgets set sharing = ${sharing}, sharing_tried_wall = ${now()} where account = ${account}
      `.execute(db);
    },
  };
}

/** A turn further ahead was taken by a clock that has been set back since. */
const AHEAD = sql`make_interval(secs => ${CLOCK_AHEAD_MS / 1_000})`;

/** Refusals of an account that has no limit. */
const NO_LIMIT_WAIT_MS = 60_000;

/** Above this, only the number of slots enforces the limit. */
const MOST_SLOTS = 10_000;
