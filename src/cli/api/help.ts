import { API_CALLS, type ApiCall, CALL_GROUPS } from "#monitor";

/** The calls by group, for `earshot api` without a call. */
export function listCalls(): string {
  const width = Math.max(...API_CALLS.map((call) => call.name.length));
  const groups = CALL_GROUPS.map((group) => {
    const lines = API_CALLS.filter((call) => call.group === group).map(
      (call) => `  ${call.name.padEnd(width)}  ${call.summary}${call.isExtension ? " *" : ""}`,
    );
    return [group, ...lines].join("\n");
  });
  return `Calls of the Listening API:

${groups.join("\n\n")}

* not in the specification of the API; the live service and Earshot's local one have it.

  earshot api projects                      begin here
  earshot api mentions --query NAME         what was found in the last 7 days
  earshot api CALL --help                   what a call takes, with examples
  earshot api --help                        all flags, where the account comes from, exit codes
`;
}

/** The help of one call: its parameters and examples. */
export function describeCall(call: ApiCall): string {
  const rows = [...(call.parameters ?? []), ...(call.needs === "mentions" ? FILTERS : [])];
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const sections = [
    `earshot api ${call.name}: ${call.summary}${call.isExtension ? " (not in the specification; the live service has it)" : call.isLocal ? " (Earshot's own local API alone has it)" : ""}`,
    NEEDS[call.needs],
    rows.length === 0
      ? ""
      : `Parameters (--param NAME=VALUE, repeated where several values are meant):\n${rows
          .map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
          .join("\n")}`,
    `Examples:\n${(call.examples ?? [EXAMPLE[call.needs]]).map((words) => `  earshot api ${call.name} ${words}`.trimEnd()).join("\n")}`,
    "earshot api --help lists the flags that all calls have, and the exit codes.",
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

const NEEDS: Record<ApiCall["needs"], string> = {
  account: "",
  project: `--project NAME|ID    the project; not needed where the account has only one`,
  mentions: `--project NAME|ID      the project; not needed where the account has only one
--query NAME|ID        a query, repeated for several; without any: all queries of the project
--query-group NAME|ID  a group of queries instead
--last DURATION        the range up to now: 90m, 24h, 30d. Default: 7d
                       or --param startDate=… --param endDate=…, as 2026-01-31 or 2026-01-31T08:00:00.000+0000`,
};

const EXAMPLE: Record<ApiCall["needs"], string> = {
  account: "",
  project: "--project Brands",
  mentions: "--query Acme",
};

const FILTERS = [
  ["sentiment", "positive, neutral or negative"],
  ["pageType", "twitter, news, forum, blog, …"],
  ["language, location, …", "any other filter of the API, by its name there"],
  ["category, tag", "ids; see earshot api categories and tags"],
  ["xsentiment, xtag, …", "an x in front excludes"],
  ["sinceAdded", "only what entered the query after this moment"],
  ["search", "a Boolean string inside the results"],
] as const;

/** A script that completes calls, flags and parameters in bash, and in zsh after `bashcompinit`. */
export function completionScript(flags: readonly string[]): string {
  const parametersOf = ({ parameters = [], needs }: ApiCall): string[] =>
    [...parameters, ...(needs === "mentions" ? FILTERS : [])]
      .flatMap(([names]) => names.split(", "))
      .filter((name) => /^\w+$/.test(name))
      .map((name) => `${name}=`);
  const cases = API_CALLS.map((call) => `    ${call.name}) words="${parametersOf(call).join(" ")}" ;;`);
  return `_earshot() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  [ "\${COMP_WORDS[1]}" = api ] || return
  if [ "$COMP_CWORD" = 2 ]; then words="${API_CALLS.map(({ name }) => name).join(" ")}"
  elif [ "$before" = --param ]; then
    compopt -o nospace 2>/dev/null
    case "\${COMP_WORDS[2]}" in
${cases.join("\n")}
    esac
  else words="${flags.join(" ")}"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _earshot earshot
`;
}

export const HELP = `
Where the account comes from, first match first:
  1. --base-url, --username, --password-file, --client-id; what is missing of them comes from
     EARSHOT_API_URL, EARSHOT_API_USERNAME, EARSHOT_API_PASSWORD (or …_PASSWORD_FILE), EARSHOT_API_CLIENT_ID
  2. --config FILE, or earshot.yaml: its part "source"
  3. the demo (earshot start) or local API (earshot local-api start) that runs on this machine

What is printed:
  a table; with --json the whole answer; with --all every record as a line of JSON, page after page.
  Everything else goes to standard error, so that standard output can be piped. Ids beyond 2^53 are text.

What is kept (api-cache.json in the data folder, for you only): the token until it ends, and the names of projects,
queries and groups for an hour. So a command costs one call. earshot api queries reads the queries anew.

Examples (in a clone: npm run earshot -- instead of earshot):
  earshot api                                       the calls, by group
  earshot api projects                              what is there?
  earshot api queries --project Brands
  earshot api mentions --query Acme --last 24h --param sentiment=negative
  earshot api mentions --query Acme --all > week.jsonl
  earshot api chart --query Acme --param dim2=sentiment
  source <(earshot api --completion)                completes calls, flags and parameters in bash
  earshot api me --base-url http://127.0.0.1:9100 --username ada --password-file pw.txt

Exit codes: 0 done, 1 the source could not answer (network, 5xx, an answer that makes no sense): try again,
2 an error in your input (call, flag, parameter, configuration, no such thing), 3 login refused,
4 rate limit spent (standard error says how long to wait), 130 interrupted.`;
