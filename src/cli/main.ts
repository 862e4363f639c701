#!/usr/bin/env node
import { createProgram } from "./create-program.ts";
import { run } from "./run.ts";

await run(createProgram(process.env), process.argv);
