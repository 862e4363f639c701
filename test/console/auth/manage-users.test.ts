import { expect, test } from "vitest";
import { whyNotPassword } from "../../../src/console/auth/manage-users.ts";

test.each([
  ["eleven signs", "kettle tea!", "12 characters or more"],
  ["more than anybody types", "abcde".repeat(201), "at most 1000 characters"],
  ["the name in it, in other letters", "hello Ann hello", "guessed too easily"],
  ["four different signs", "abcdabcdabcd", "guessed too easily"],
])("a password with %s is refused", (_name, password, because) => {
  expect(whyNotPassword(password, "ann")).toContain(because);
});

test.each(["kettle tea!!", "abcde".repeat(200), "abcdeabcdeab"])("a longer one may be %s", (password) => {
  expect(whyNotPassword(password, "ann")).toBeNull();
});
