/** The one style sheet: colours with names first, then what stands on every page, then the parts. */
export const STYLES = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --paper: #ffffff; --ink: #171b21; --soft: #59636f; --line: #dde1e7; --fold: #eef0f4;
  --link: #1a56a8; --focus: #1a56a8;
  --negative: #b8460b; --neutral: #87919e; --positive: #1268b3; --unknown: #c9d0d8;
  --critical: #a8271a; --critical-ink: #ffffff; --warning: #f3c14b; --warning-ink: #3b2a00; --info: #d9e3f0; --info-ink: #1d3a5f;
  --good: #1c6b4a; --fault: #a8271a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1216; --paper: #171b21; --ink: #e6eaef; --soft: #9aa6b3; --line: #2a313a; --fold: #1f252d;
    --link: #86b7f7; --focus: #86b7f7;
    --negative: #ef8a4c; --neutral: #6c7885; --positive: #5cabef; --unknown: #434c57;
    --critical: #e5695c; --critical-ink: #1d0604; --warning: #d8a835; --warning-ink: #241a00; --info: #1e2c3f; --info-ink: #c9dcf3;
    --good: #67c69b; --fault: #f08b80;
  }
}
* { box-sizing: border-box; }
html { font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
h1, h2, h3, p, ol, ul, dl, dd { margin: 0; padding: 0; }
ol, ul { list-style: none; }
a { color: var(--link); text-underline-offset: 2px; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
main:focus-visible { outline: none; }
code, pre { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 12px; top: 8px; background: var(--paper); padding: 6px 12px; z-index: 2; }
.wide { max-width: 1240px; margin: 0 auto; padding-left: 20px; padding-right: 20px; }

.top { background: var(--paper); border-bottom: 1px solid var(--line); }
.top .wide { display: flex; flex-wrap: wrap; align-items: center; column-gap: 28px; min-height: 52px; }
.brand { font-weight: 700; font-size: 1.1rem; letter-spacing: -.01em; color: var(--ink); text-decoration: none; }
.top nav ul { display: flex; flex-wrap: wrap; column-gap: 4px; }
.top nav a { display: block; padding: 15px 10px 12px; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; }
.top nav a:hover { color: var(--ink); }
.top nav a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--link); }
.count { display: inline-block; min-width: 1.5em; padding: 0 .4em; border-radius: 1em; text-align: center; font-size: .8rem; font-weight: 600; background: var(--critical); color: var(--critical-ink); }
.count.is-quiet { background: var(--fold); color: var(--soft); }
.state { margin-left: auto; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; font-size: .87rem; color: var(--soft); }
.clock { font-variant-numeric: tabular-nums; color: var(--ink); font-weight: 600; }
.live::before { content: ""; display: inline-block; width: .55em; height: .55em; margin-right: .4em; border-radius: 50%; background: var(--good); }
.live.is-paused::before, .live.is-lost::before { border-radius: 0; background: var(--soft); }
.live.is-lost { color: var(--fault); font-weight: 600; }
.state form, .state button { display: inline; }
.state button { border: 0; padding: 0; background: none; color: var(--link); font: inherit; text-decoration: underline; cursor: pointer; }
.banner { background: var(--info); color: var(--info-ink); font-size: .93rem; }
.banner p { padding-top: 8px; padding-bottom: 8px; }

main { padding-top: 18px; padding-bottom: 48px; }
h1 { font-size: 1.45rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 1rem; line-height: 1.3; margin-bottom: 10px; }
h3 { font-size: .97rem; line-height: 1.35; font-weight: 600; }
.panel { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin-bottom: 16px; min-width: 0; }
.title { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px 20px; margin-bottom: 12px; }
.hint, .detail, .when, .crumb, .empty, .more, .share { color: var(--soft); }
.hint { font-size: .9rem; margin-bottom: 10px; }
.title .hint { margin: 0; }
.detail { font-size: .9em; }
.more { padding-top: 10px; }
.when { font-variant-numeric: tabular-nums; font-size: .87rem; white-space: nowrap; }
.fault { color: var(--fault); }
.problem { padding: 40px 0; display: grid; gap: 10px; }
.tabs { display: flex; flex-wrap: wrap; gap: 4px; }
main > nav .tabs { margin-bottom: 12px; }
.tabs a { display: block; padding: 4px 12px; border: 1px solid transparent; border-radius: 2em; color: var(--soft); text-decoration: none; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { background: var(--paper); border-color: var(--line); color: var(--ink); font-weight: 600; }

.overview { display: grid; gap: 0 16px; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); grid-template-rows: auto auto 1fr; grid-template-areas: "alerts volume" "mentions volume" "mentions sent"; align-items: start; }
.area-alerts { grid-area: alerts; } .area-volume { grid-area: volume; } .area-mentions { grid-area: mentions; } .area-sent { grid-area: sent; }
.two { display: grid; gap: 0 16px; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); align-items: start; }

.alerts > li, .mentions > li { padding: 11px 0 11px 13px; border-top: 1px solid var(--line); border-left: 0; position: relative; }
.alerts > li:first-child, .mentions > li:first-child { border-top: 0; padding-top: 2px; }
.alerts > li:last-child, .mentions > li:last-child { padding-bottom: 2px; }
.alerts > li::before, .mentions > li::before { content: ""; position: absolute; left: 0; top: 12px; bottom: 12px; width: 3px; border-radius: 2px; background: var(--line); }
.alerts > li:first-child::before, .mentions > li:first-child::before { top: 4px; }
.alert.is-critical::before { background: var(--critical); } .alert.is-warning::before { background: var(--warning); } .alert.is-info::before { background: var(--neutral); }
.mention.is-negative::before { background: var(--negative); } .mention.is-positive::before { background: var(--positive); }
.alert-head, .mention-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 10px; }
.alert-head h3 a, .volume-head h3 a { color: var(--ink); text-decoration-color: var(--neutral); }
.alert-head .when, .mention-head .when { margin-left: auto; }
.because { margin-top: 3px; }
.because::first-letter { text-transform: uppercase; }
.alert-chart img { display: block; max-width: 100%; height: auto; margin: 0 0 12px; border-radius: 6px; }
.because.is-large { font-size: 1.07rem; margin: 0 0 12px; }
.alert-line { margin-bottom: 14px; }
.crumb { margin-bottom: 4px; font-size: .9rem; }
.badge { display: inline-block; padding: 1px 7px; border-radius: 4px; font-size: .74rem; line-height: 1.5; font-weight: 700; letter-spacing: .03em; text-transform: uppercase; vertical-align: 1px; margin-right: 4px; }
.alert-head .badge { margin-right: -4px; }
.badge.is-critical { background: var(--critical); color: var(--critical-ink); }
.badge.is-warning { background: var(--warning); color: var(--warning-ink); }
.badge.is-info { background: var(--info); color: var(--info-ink); }
.badge.is-over, .badge.is-state { background: none; box-shadow: inset 0 0 0 1px var(--line); color: var(--soft); }
.author { font-weight: 600; }
.verified { font-weight: 400; font-size: .85rem; color: var(--soft); }
.sentiment { font-size: .85rem; font-weight: 600; }
.sentiment.is-negative { color: var(--negative); } .sentiment.is-positive { color: var(--positive); } .sentiment.is-neutral { color: var(--soft); font-weight: 400; }
.mention-title { font-weight: 600; margin-top: 2px; }
.mention-text { margin-top: 2px; white-space: pre-line; max-height: 11.6em; overflow: hidden; }
.mention-foot { display: flex; flex-wrap: wrap; gap: 0 12px; margin-top: 3px; font-size: .87rem; color: var(--soft); }
.mention-foot .outside { margin-left: auto; }

.legend { display: flex; gap: 14px; font-size: .85rem; color: var(--soft); margin: -4px 0 10px; }
.legend li::before { content: ""; display: inline-block; width: .75em; height: .75em; margin-right: .4em; border-radius: 2px; background: var(--unknown); }
.legend .is-negative::before { background: var(--negative); } .legend .is-neutral::before { background: var(--neutral); } .legend .is-positive::before { background: var(--positive); }
.volume { padding: 9px 0; border-top: 1px solid var(--line); }
.volume:first-of-type { border-top: 0; padding-top: 0; }
.volume-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 10px; margin-bottom: 4px; }
.share { font-size: .9rem; }
.bars { display: block; width: 100%; height: 52px; border-bottom: 1px solid var(--soft); }
.fill-negative { fill: var(--negative); } .fill-neutral { fill: var(--neutral); } .fill-positive { fill: var(--positive); } .fill-unknown { fill: var(--unknown); } .fill-none { fill: transparent; }
.bars g:hover .fill-none { fill: var(--fold); }
.volume-axis { display: flex; justify-content: space-between; font-size: .8rem; color: var(--soft); font-variant-numeric: tabular-nums; }
summary { cursor: pointer; color: var(--soft); font-size: .85rem; width: fit-content; }
.volume details { margin-top: 1px; }

table { width: 100%; border-collapse: collapse; font-size: .93rem; overflow-wrap: break-word; }
td .fault { overflow-wrap: anywhere; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px 6px 0; border-top: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-top: 0; padding-top: 0; font-size: .82rem; font-weight: 600; color: var(--soft); }
tbody th { font-weight: 600; }
tbody th .detail { display: block; font-weight: 400; }
.walks .number, .precision .number { padding-right: 20px; }
.precision th:last-child, .precision td:last-child { padding-right: 0; }
.number, .numbers td { text-align: right; font-variant-numeric: tabular-nums; }
.numbers th { font-weight: 400; } .numbers th, .numbers td { padding: 1px 10px 1px 0; }
.numbers thead th:not(:first-child) { text-align: right; }
.walk-state { max-width: 20em; }
.scrolls { overflow-x: auto; }
.walks { min-width: 860px; overflow-wrap: normal; }
.outcome { display: block; }
.outcome.is-sent { color: var(--good); } .outcome.is-dead, .outcome.is-failing { color: var(--fault); font-weight: 600; } .outcome.is-due { color: var(--soft); }
.outcome + .fault { display: block; font-size: .87rem; }

.filters { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 14px; margin-bottom: 14px; }
.filters label, .bare label { display: grid; gap: 2px; font-size: .85rem; color: var(--soft); }
.filters .grows { flex: 1 1 200px; }
::placeholder { color: var(--soft); opacity: 1; }
input, select, .filters button, .bare button { font: inherit; font-size: 1rem; color: var(--ink); background: var(--paper); border: 1px solid var(--neutral); border-radius: 5px; padding: 6px 9px; min-height: 36px; width: 100%; }
.filters button, .bare button { width: auto; padding: 6px 18px; background: var(--link); border-color: var(--link); color: var(--paper); font-weight: 600; cursor: pointer; }
.bare { max-width: 380px; margin: 12vh auto 0; padding: 0 20px; display: grid; gap: 8px; }
.desk form { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: end; }
.desk label { display: grid; gap: 3px; font-size: .88rem; }
.desk .whole { flex: 1 1 100%; } .desk .whole[open] { padding-bottom: 6px; }
.desk summary { cursor: pointer; padding: 6px 0; }
.desk fieldset { border: 0; padding: 0; margin: 6px 0; display: flex; flex-wrap: wrap; gap: 4px 12px; }
.desk legend { font-size: .88rem; padding: 0; margin-bottom: 3px; }
.desk .days label { display: inline-flex; align-items: center; gap: 5px; min-height: 36px; }
.desk input[type=checkbox] { width: auto; min-height: 0; }
.desk .row { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: end; }
.desk.is-slim { padding: 10px 16px; }
.desk.is-slim .whole[open] { padding-bottom: 0; }
.desk button.is-first { background: var(--link); border-color: var(--link); color: var(--paper); font-weight: 600; }
.desk button, .timeline form button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--neutral); border-radius: 5px; padding: 5px 12px; min-height: 36px; cursor: pointer; }
.bare form { display: grid; gap: 10px; margin-top: 8px; justify-items: start; }
.bare button { margin-top: 6px; }

.facts { display: grid; grid-template-columns: minmax(7em, max-content) minmax(0, 1fr); gap: 3px 16px; font-size: .93rem; }
.facts.is-wide { grid-template-columns: max-content minmax(0, 1fr) max-content minmax(0, 1fr); }
.facts dt { color: var(--soft); }
.facts dd { font-variant-numeric: tabular-nums; }
.timeline > li { display: grid; grid-template-columns: 4.6em minmax(0, 1fr); gap: 0 10px; padding: 6px 0; border-top: 1px solid var(--line); }
.timeline > li:first-child { border-top: 0; padding-top: 0; }
.timeline .when { padding-top: 1px; white-space: normal; }
.attempts { font-size: .87rem; margin-top: 2px; }

.inbox.has-reading { display: grid; gap: 0 16px; grid-template-columns: minmax(0, 5fr) minmax(0, 8fr); align-items: start; }
.inbox .tabs { margin-bottom: 12px; }
.inbox .is-narrow { max-width: 820px; }
.channel > li { padding: 12px 0; border-top: 1px solid var(--line); }
.channel > li:first-child { border-top: 0; padding-top: 0; }
.thread { margin: 10px 0 0 10px; padding-left: 14px; border-left: 2px solid var(--line); display: grid; gap: 10px; }
.slack-sender .app { font-size: .72rem; font-weight: 600; text-transform: uppercase; color: var(--soft); background: var(--fold); border-radius: 3px; padding: 0 4px; }
.slack-message { display: grid; gap: 7px; margin-top: 2px; }
.slack-header { font-size: 1.13rem; font-weight: 700; }
.slack-context { color: var(--soft); font-size: .87rem; }
.slack-quote { display: block; margin: 2px 0 0; padding-left: 11px; border-left: 4px solid var(--line); }
.slack-button { display: inline-block; padding: 3px 12px; border: 1px solid var(--neutral); border-radius: 5px; color: var(--ink); text-decoration: none; font-size: .93rem; font-weight: 600; }
.slack-actions { display: flex; flex-wrap: wrap; gap: 7px; }
.slack-button.is-primary { background: var(--good); border-color: transparent; color: var(--paper); }
.slack-select::after { content: " ▾"; color: var(--soft); }
.slack-press { display: contents; }
.slack-press .slack-button, .slack-menu > summary { cursor: pointer; background: none; font-family: inherit; }
.slack-press .slack-button.is-primary { background: var(--good); }
.slack-menu > summary { list-style: none; } .slack-menu > summary::-webkit-details-marker { display: none; }
.slack-menu[open] { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 7px; align-items: center; }
.slack-menu[open] > div { flex-basis: 100%; }
.slack-choices { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.slack-picture { display: block; max-width: min(100%, 460px); height: auto; border: 1px solid var(--line); border-radius: 8px; }
.slack-file { margin: 4px 0 0; }
.slack-divider { width: 100%; border: 0; border-top: 1px solid var(--line); margin: 4px 0; }
.slack-list { padding-left: 1.4em; list-style: disc; } ol.slack-list { list-style: decimal; }
.slack-mention { background: var(--info); color: var(--info-ink); border-radius: 3px; padding: 0 2px; }
.slack-pre, .mail-text { white-space: pre-wrap; background: var(--fold); border-radius: 5px; padding: 8px 10px; margin: 6px 0; }
.emails a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 1px 10px; padding: 9px 10px; margin: 0 -10px; border-radius: 6px; color: var(--ink); text-decoration: none; }
.emails a:hover, .emails a[aria-current] { background: var(--fold); }
.emails .subject { grid-column: 1 / -1; font-weight: 600; }
.reading iframe { display: block; width: 100%; height: 70vh; min-height: 420px; border: 1px solid var(--line); border-radius: 6px; margin: 10px 0; background: var(--paper); resize: vertical; }
.reading h2 { font-size: 1.13rem; margin-bottom: 2px; }
.reading details { margin-top: 8px; }

@media (max-width: 860px) {
  .overview, .two, .inbox.has-reading { display: block; }
}
@media (max-width: 560px) {
  .wide { padding-left: 14px; padding-right: 14px; }
  .top .wide { column-gap: 12px; padding-top: 8px; }
  .top nav { order: 3; width: calc(100% + 12px); margin: 0 -6px; }
  .top nav a { padding: 10px 2px 7px; font-size: .87rem; }
  .top nav .count { min-width: 1.4em; padding: 0 .3em; font-size: .73rem; }
  .top nav ul { column-gap: 0; justify-content: space-between; }
  .panel { padding: 12px 12px; margin-left: -6px; margin-right: -6px; }
  .filters label { flex: 1 1 130px; } .filters .grows { flex-basis: 100%; }
  .facts, .facts.is-wide { grid-template-columns: minmax(6em, max-content) minmax(0, 1fr); gap: 3px 12px; }
  .sent thead { position: absolute; clip-path: inset(50%); }
  .sent tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; padding: 7px 0; border-top: 1px solid var(--line); }
  .sent tr:first-child { border-top: 0; padding-top: 0; }
  .sent td { border: 0; padding: 0; } .sent td:nth-child(1) { order: 2; text-align: right; } .sent td:nth-child(2) { order: 1; font-weight: 600; } .sent td:nth-child(3), .sent td:nth-child(4) { order: 3; grid-column: 1 / -1; }
}
@media (prefers-reduced-motion: no-preference) {
  .htmx-added { opacity: .4; } .htmx-settling { transition: opacity .2s; }
}
@media print { .top nav, .state, .filters, .more { display: none; } }
`;
