import { Markup } from "./markup.ts";

/** Two themes by custom properties; the two data colours differ in lightness as well as in hue. */
export const style = new Markup(`<style>
:root {
  color-scheme: light dark;
  --page: #f7f7f5; --card: #ffffff; --ink: #1d2127; --muted: #5b6470; --line: #dcdfe3;
  --ham: #2f7fb8; --spam: #d9622b; --good: #e3eff8; --bad: #fbe7dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1d2127; --ink: #e8eaed; --muted: #9aa4b1; --line: #353b44;
    --ham: #5aa9e0; --spam: #f08a55; --good: #1f3444; --bad: #46291b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; }
h2 { margin: 0 0 .75rem; font-size: 1.15rem; }
p { margin: 0 0 1rem; }
.muted, caption, th { color: var(--muted); }
.tiles, .pair { display: grid; gap: 0 1rem; }
.tiles { row-gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); margin: 0 0 1rem; padding: 0; }
.pair { grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.tile { padding: .75rem 1rem; }
.tile dt { color: var(--muted); font-size: .85rem; }
.tile dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
section { padding: 1.25rem; margin: 0 0 1rem; min-width: 0; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; padding-bottom: .5rem; }
th { font-weight: 600; text-align: left; }
th, .short { white-space: nowrap; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.good { background: var(--good); } td.bad { background: var(--bad); }
td.good, td.bad { font-size: 1.25rem; }
code { font-size: .85em; }
svg { display: block; max-width: 100%; height: auto; }
svg.wide { max-width: none; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg text.muted { fill: var(--muted); }
svg .ham, .key.ham { fill: var(--ham); background: var(--ham); }
svg .spam, .key.spam { fill: var(--spam); background: var(--spam); }
svg .axis { stroke: var(--line); }
.key { display: inline-block; width: .75rem; height: .75rem; border-radius: .15rem; margin-right: .35rem; }
.legend { display: flex; gap: 1.25rem; color: var(--muted); font-size: .9rem; margin-bottom: .75rem; }
</style>`);
