import { afterAll, beforeAll, expect } from "vitest";
import { type Database, openDatabase } from "../../../src/monitor/store/database.ts";
import { createTokenStore } from "../../../src/monitor/store/tokens.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";
import { describeTokenStore } from "../source/token-store-contract.ts";

let testDatabase: TestDatabase;
let databases: Database[];
let accounts = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const open = () => openDatabase({ url: testDatabase.url, onError: (error) => expect.fail(error.message) });
  databases = [open(), open()];
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await testDatabase.drop();
});

describeTokenStore(async (count) => {
  const account = `account ${accounts++}`;
  return databases.slice(0, count).map(({ db }) => createTokenStore(db, account));
});
