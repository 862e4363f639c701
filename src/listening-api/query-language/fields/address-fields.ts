import { domainToASCII } from "node:url";
import { defineField, type Field, type FieldFault, type KnownFields } from "./define-field.ts";

/** `site:`, `url:`, `links:` and `topLevelDomain:`: the address of a mention and its links. */
export const addressFields: readonly Field[] = [
  defineField({
    name: "site",
    kind: "value",
    check: withoutWww,
    meets: (test, known) =>
      test.kind === "value" && addresses(known).some((address) => isOnSite(address, test.value)),
  }),
  defineField({
    name: "url",
    kind: "value",
    meets: (test, known) =>
      test.kind === "value" &&
      [known.url, known.originalUrl].some((url) => url != null && bare(url).includes(bare(test.value))),
  }),
  defineField({
    name: "links",
    kind: "value",
    meets: (test, known) =>
      test.kind === "value" &&
      known.pageType === "twitter" &&
      [...(known.expandedUrls ?? []), ...(known.displayUrls ?? []), ...(known.shortUrls ?? [])].some((url) =>
        isOnSite(url, test.value),
      ),
  }),
  defineField({
    name: "topLevelDomain",
    kind: "value",
    meets: (test, known) =>
      test.kind === "value" &&
      addresses(known).some((address) =>
        hostOf(bare(address)).endsWith(`.${test.value.toLowerCase().replace(/^\./, "")}`),
      ),
  }),
];

function withoutWww(value: string): FieldFault | undefined {
  if (!/^(?:https?:\/\/)?www\./i.test(value)) return undefined;
  return { severity: "warning", message: `site: takes the name without www; write site:${bare(value)}.` };
}

function addresses(known: KnownFields): string[] {
  return [known.domain, known.url, known.originalUrl].filter((address) => address != null);
}

/** The site itself, one of its subdomains, or a path on them. */
function isOnSite(address: string, site: string): boolean {
  const [wanted, given] = [bare(site), bare(address)];
  const host = hostOf(wanted);
  const givenHost = hostOf(given);
  if (givenHost !== host && !givenHost.endsWith(`.${host}`)) return false;
  const path = wanted.slice(host.length);
  const rest = given.slice(givenHost.length);
  return rest.startsWith(path) && (path === "" || /^(?:$|[/?#])/.test(rest.slice(path.length)));
}

function hostOf(address: string): string {
  return /^[^/?#:]*/.exec(address)?.[0] ?? "";
}

/** In lower case, without scheme, `www.` and a slash at the end; letters of other scripts in a host as the web sends them. */
function bare(address: string): string {
  const plain = address
    .trim()
    .toLowerCase()
    .replace(/^[a-z]{1,10}:\/\//, "")
    .replace(/^www\./, "")
    .replace(/\/$/, "");
  const host = hostOf(plain);
  return ASCII.test(host) ? plain : (domainToASCII(host) || host) + plain.slice(host.length);
}

const ASCII = /^[\0-\x7f]*$/;
