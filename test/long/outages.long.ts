import { SECOND } from "../../src/lib/instant.ts";
import { describeOutages } from "../flows/describe-outages.ts";

// A real minute: what is patient for less shows it here.
describeOutages(60 * SECOND, 420_000);
