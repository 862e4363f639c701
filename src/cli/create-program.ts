import { Command } from "commander";
import { addAlertsCommand } from "./alerts.ts";
import { addApiCommand } from "./api.ts";
import { addBounceCommand } from "./bounce.ts";
import { addCheckCommand } from "./check.ts";
import { addCoverageCommand } from "./coverage.ts";
import { addDetectCommand } from "./detect.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addLocalApiCommand } from "./local-api.ts";
import { addPreviewCommand } from "./preview.ts";
import { addSendTestCommand } from "./send-test.ts";
import { addSetAsideCommand } from "./set-aside.ts";
import { addSilenceCommand } from "./silence.ts";
import { addStartCommand } from "./start.ts";
import { addWhyCommand } from "./why.ts";

/** Every command of `earshot`, with its flags. */
export function createProgram(env: NodeJS.ProcessEnv): Command {
  const program = new Command("earshot")
    .description("Watches what people say about a brand and tells the right person in time.")
    .addHelpText("after", HELP)
    .showHelpAfterError("(earshot --help tells more)")
    .configureOutput({ outputError: (text, write) => write(text) })
    .exitOverride();
  addStartCommand(program, env);
  addCheckCommand(program, env);
  addAlertsCommand(program, env);
  addSilenceCommand(program, env);
  addWhyCommand(program, env);
  addPreviewCommand(program, env);
  addSendTestCommand(program, env);
  addBounceCommand(program, env);
  addCoverageCommand(program, env);
  addDetectCommand(program);
  addDoctorCommand(program, env);
  addSetAsideCommand(program, env);
  addApiCommand(program, env);
  addLocalApiCommand(program, env);
  return program;
}

const HELP = `
Examples (in a clone: npm run earshot -- instead of earshot):
  earshot start                             with earshot.yaml: monitor; without: a demo that needs nothing
  earshot start --roles poll,tick           only these roles, as one of many processes
  earshot start --replay tweets.jsonl       live through a file of past mentions
  earshot check                             is the configuration sound, are the rules and templates?
  earshot doctor                            is everything there that it needs? says what to do
  earshot set-aside list                    what always failed and stands aside; replay tries it again
  earshot alerts                            what is open; ack, assign, resolve, not-relevant
  earshot silence add --match query=Acme    hear nothing of it for an hour
  earshot why ALERT                         which rules saw it, who was told, what was held and why
  earshot preview alert                     a message as files: Slack JSON, HTML, text, pictures
  earshot send-test on-call                 really tells this receiver something, and says what came back
  earshot local-api start                   the Listening API alone, with a sample account
  earshot bounce < message                  what came back to the return path of mails
  earshot coverage                          per query: last poll, how far behind, seen within what time; calls left
  earshot detect --at-least 20 < counts.csv the spike detector alone, on counts from a file
  earshot api                               what the Listening API has: projects, queries, mentions, charts

Environment: DATABASE_URL (else an embedded PostgreSQL), REDIS_URL (else queues on PostgreSQL),
LOG_LEVEL (default info), EARSHOT_HOME (default .earshot), EARSHOT_CONFIG (default earshot.yaml).

Exit codes: 0 done, 1 failed, 2 something you wrote is at fault (configuration, rule, flag), 130 interrupted.`;
