import { type Command, Help } from "commander";
import { beforeAll, expect, test } from "vitest";
import { createProgram } from "../../src/cli/create-program.ts";
import { runCommand } from "./run-command.ts";

let names: string[];
// It loads all of Earshot.
beforeAll(async () => {
  names = (await createProgram({})).commands.map((command) => command.name());
});

test.each([[[]], [["help"]]])(
  "a command that is named after %j is loaded alone, under that name",
  async (before) => {
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const { commands } = await createProgram({}, [...before, name, "--help"]);
      expect(commands.map((command) => command.name())).toEqual([name]);
    }
  },
);

test.each([["nosuch"], ["constructor"], ["--version"], ["--help"], ["help"], [""]])(
  "%j is answered with all commands",
  async (word) => {
    const { commands } = await createProgram({}, [word]);
    expect(commands.map((command) => command.name())).toEqual(names);
  },
);

test("the overview shows each command with the arguments that it takes, though it loads none", async () => {
  const text = (await createProgram({}, ["--help"])).helpInformation().replaceAll(/\s+/g, " ");
  for (const command of (await createProgram({})).commands) {
    expect(text).toContain(` ${new Help().subcommandTerm(command)} ${command.description()}`);
  }
});

test("the help of every command, or of its group, shows an example of it", async () => {
  const missing: string[] = [];
  const visit = (command: Command, path: string, outer: string) => {
    const help = helpOf(command);
    if (command.commands.length === 0 && !isShown(path, help) && !isShown(path, outer)) missing.push(path);
    for (const inner of shown(command)) visit(inner, `${path} ${inner.name()}`, help);
  };
  const shown = (command: Command) =>
    new Help().visibleCommands(command).filter((inner) => inner.name() !== "help");
  for (const command of shown(await createProgram({}))) visit(command, `earshot ${command.name()}`, "");
  expect(missing).toEqual([]);
});

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

function isShown(path: string, help: string): boolean {
  const examples = help
    .split(/^(?:Examples?\b|From nothing).*:$/m)
    .slice(1)
    .join("\n");
  return examples.includes(`  ${path}`);
}

test("flags alone are for start", async () => {
  const { commands } = await createProgram({}, ["--roles", "poll"]);
  const loaded = commands.filter(({ options }) => options.length > 0);
  expect(loaded.map((command) => command.name())).toEqual(["start"]);
});

test.each([
  [["chek"], 'there is no command "chek" — did you mean "check"?'],
  [["xyzzy"], 'there is no command "xyzzy"'],
  [["start", "now"], 'start takes flags only, got "now"'],
])("%j starts nothing, and says what is wrong with it", async (words, message) => {
  const { exitCode, stderr } = await runCommand(words);
  expect(exitCode).toBe(2);
  expect(stderr.split("\n")[0]).toBe(`earshot: ${message}`);
});

test.each([
  [["start", "--speed", "3"], "--speed, --exit-when-done, --json and --rules go with --replay FILE"],
  [["start", "--roles", "poll"], "--roles goes with a configuration, and there is no none.yaml"],
])("%j is refused, rather than ignored", async (words, message) => {
  const { exitCode, stderr } = await runCommand(words, { EARSHOT_CONFIG: "none.yaml" });
  expect(exitCode).toBe(2);
  expect(stderr.split("\n")[0]).toBe(`earshot: ${message}`);
});

// Asked to make such a folder at once, Node.js goes on for ever.
test.runIf(process.platform === "linux")(
  "a preview into a place that cannot be made is refused",
  async () => {
    const words = ["preview", "alert", "--no-pictures", "--out", "/proc/none/deep"];
    const { exitCode, stderr } = await runCommand(words, { EARSHOT_CONFIG: "none.yaml" });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("the folder /proc/none cannot be made");
  },
);

test.each([
  [{ LOG_LEVEL: "chatty" }, 2, /LOG_LEVEL is one of trace, .*, silent, not "chatty"/],
  [
    { DATABASE_URL: "db.example" },
    2,
    /DATABASE_URL is no address of a PostgreSQL\n {2}it looks like postgres:/,
  ],
  [
    { DATABASE_URL: "postgres://ann:hush@127.0.0.1:9/earshot" },
    1,
    /the PostgreSQL of DATABASE_URL cannot be asked: .*ECONNREFUSED.*; is it up/,
  ],
])("the environment %j is reported with what to do, and without a secret", async (env, code, message) => {
  const { exitCode, stderr } = await runCommand(["alerts"], env);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("hush");
  expect(exitCode).toBe(code);
});
