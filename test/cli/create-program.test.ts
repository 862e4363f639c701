import { expect, test } from "vitest";
import { createProgram } from "../../src/cli/create-program.ts";

test("a command that is named is loaded alone, under that name", async () => {
  const all = await createProgram({}, ["--help"]);
  const names = all.commands.map((command) => command.name());
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const { commands } = await createProgram({}, [name, "--help"]);
    expect(commands.map((command) => command.name())).toEqual([name]);
  }
});

test.each([["nosuch"], ["constructor"], ["--version"], [""]])(
  "%j is answered with all commands",
  async (word) => {
    expect((await createProgram({}, [word])).commands.length).toBeGreaterThan(10);
  },
);
