import { expect, test } from "vitest";
import { UserError } from "../../../src/lib/errors.ts";
import { readAccount } from "../../../src/listening-api/account/read-account.ts";

const errorOf = (text: string): Promise<UserError> =>
  readAccount("account.yaml", text).then(
    () => {
      throw new Error("it was read");
    },
    (error: UserError) => error,
  );

test("a large file with thousands of faults is refused with the first ones", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `unknown${n}: 1`);
  const before = process.cpuUsage();
  const error = await errorOf(`clients: [{name: Acme}]\n${lines.join("\n")}\n`);
  expect(error).toBeInstanceOf(UserError);
  expect(error.message).toBe("account.yaml is not a valid account file.");
  expect(error.details).toHaveLength(21);
  expect(error.details[0]).toMatch(/^account\.yaml:2:1 unknown key "unknown0"/);
  expect(error.details.at(-1)).toBe("… and 19,980 more");
  // The square of the faults took eight seconds.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(6_000);
});

test("a large file that is right is read", async () => {
  const tags = Array.from({ length: 20_000 }, (_, n) => `          - tag ${n}`).join("\n");
  const { account } = await readAccount(
    "account.yaml",
    `clients:\n  - name: Acme\n    projects:\n      - name: Brands\n        tags:\n${tags}\n`,
  );
  expect(account.parts.client?.[0]?.parts.project?.[0]?.parts.tag).toHaveLength(20_000);
});
