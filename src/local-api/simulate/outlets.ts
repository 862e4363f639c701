import { z } from "zod";
import { readData } from "./read-data.ts";

/** An invented newspaper. */
export type Outlet = z.output<typeof Outlet>;
const Outlet = z.strictObject({
  name: z.string(),
  site: z.string(),
  monthlyVisitors: z.number(),
  reporter: z.string(),
});

export const OUTLETS = readData("outlets.yaml", z.tuple([Outlet]).rest(Outlet));
