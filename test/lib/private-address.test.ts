import { expect, test } from "vitest";
import { isPrivateAddress } from "../../src/lib/private-address.ts";

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "172.31.255.255",
  "192.168.0.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "255.255.255.255",
  "224.0.0.1",
  "::",
  "::1",
  "[::1]",
  "fe80::1%eth0",
  "fd12::1",
  "ff02::1",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "::127.0.0.1",
  "64:ff9b::a00:1",
  "64:ff9b:1::a00:1",
  "::ffff:0:10.0.0.1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "3fff::1",
  "5f00::1",
  "2002:c0a8:1::",
  "not an address",
])("%s is private", (address) => expect(isPrivateAddress(address)).toBe(true));

test.each([
  "93.184.216.34",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "2001:4860:4860::8888",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
])("%s is public", (address) => expect(isPrivateAddress(address)).toBe(false));
