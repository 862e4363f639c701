import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import { describeTokenStore } from "./token-store-contract.ts";

describeTokenStore(async (count) => {
  const shared = createMemoryTokenStore();
  return Array.from({ length: count }, () => shared);
});
