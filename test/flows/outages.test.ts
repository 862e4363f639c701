import { SECOND } from "../../src/lib/instant.ts";
import { describeOutages } from "./describe-outages.ts";

// Longer than every lease, lock and connection timeout; `test/long` is away for a minute of sixty seconds.
describeOutages(11 * SECOND, 240_000);
