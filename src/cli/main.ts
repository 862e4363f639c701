#!/usr/bin/env node
import { createProgram } from "./create-program.ts";
import { run } from "./run.ts";

await run(await createProgram(process.env, process.argv.slice(2)), process.argv);
