import { Command } from "commander";
import { expect, test } from "vitest";
import { defineApiCommand } from "../../../src/cli/api.ts";
import { API_CALLS } from "../../../src/monitor/source/call-table.ts";

test("every call is a command with a summary, an example and its flags", () => {
  const command = new Command("api");
  defineApiCommand(command, {});
  for (const call of API_CALLS) {
    const found = command.commands.find((one) => one.name() === call.name);
    const help: string[] = [];
    found?.configureOutput({ writeOut: (text) => help.push(text) }).outputHelp();
    expect(help.join("")).toContain(call.summary.split(";")[0]?.slice(0, 40));
    expect(help.join("")).toMatch(new RegExp(`^  earshot api ${call.name}( .*)?$`, "m"));
    expect(help.join("").includes("--query <name|id>")).toBe(call.needs === "mentions");
  }
});

test("what a call is about follows from its path", () => {
  const needs = Object.fromEntries(API_CALLS.map((call) => [call.name, call.needs]));
  expect(needs).toMatchObject({ me: "account", queries: "project", chart: "mentions", urls: "mentions" });
});
