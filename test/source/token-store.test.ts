import { createMemoryTokenStore } from "../../src/source/token-store.ts";
import { describeTokenStore } from "./token-store-contract.ts";

describeTokenStore(async (count) => {
  const shared = createMemoryTokenStore();
  return Array.from({ length: count }, () => shared);
});
