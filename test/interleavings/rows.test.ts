import pg from "pg";
import { beforeAll, expect, inject, test } from "vitest";
import { databaseAt } from "../database-at.ts";
import { createTestDatabase } from "../postgres.ts";
import { type KeptRows, keepRows, openKeptRows } from "./rows.ts";

let client: pg.Client;
let kept: KeptRows;

const TABLES = `
  create schema shop;
  create table shop.customer (id bigint generated always as identity primary key, name text not null,
    loud text generated always as (upper(name)) stored);
  create table shop.sale (id bigint generated always as identity, day date not null,
    customer_id bigint references shop.customer on delete cascade, primary key (id, day)) partition by range (day);
  create table shop.sale_march partition of shop.sale for values from ('2026-03-01') to ('2026-04-01');
  create table shop.sale_other partition of shop.sale default;
  create table shop.empty (what jsonb);
  insert into shop.customer (name) values ('ann'), ('bo');
  insert into shop.sale (day, customer_id) values ('2026-03-02', 1), ('2026-05-02', 2)`;

beforeAll(async () => {
  const { url, drop } = await createTestDatabase();
  client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(TABLES);
  await keepRows(url);
  kept = await openKeptRows(databaseAt(inject("superuserUrl"), new URL(url).pathname.slice(1)));
  return async () => {
    await kept.close();
    await client.end();
    await drop();
  };
});

/** All rows, and what a sequence gives next. */
async function state(): Promise<unknown> {
  const ask = async (sql: string) => (await client.query(sql)).rows as unknown;
  return [
    await ask("select * from shop.customer order by id"),
    await ask("select tableoid::regclass, * from shop.sale order by id"),
    await ask("select * from shop.empty"),
    await ask("select last_value, is_called from shop.customer_id_seq"),
  ];
}

test("rows and sequences are put back, whatever was changed", async () => {
  const before = await state();

  await client.query(`
    delete from shop.customer where name = 'ann';
    update shop.customer set name = 'bob';
    update shop.sale set day = '2026-03-05';
    insert into shop.customer (name) values ('cy');
    insert into shop.empty values ('{}')`);
  expect(await state()).not.toEqual(before);

  expect(await kept.putBack()).toBe(true);
  expect(await state()).toEqual(before);
  expect(await kept.putBack()).toBe(true);
  expect(await state()).toEqual(before);
});

test("nothing is put back where a table was made since", async () => {
  await client.query("insert into shop.empty values ('{}')");
  await client.query(
    "create table shop.sale_june partition of shop.sale for values from ('2026-06-01') to ('2026-07-01')",
  );
  const before = await state();

  expect(await kept.putBack()).toBe(false);
  expect(await state()).toEqual(before);
});
