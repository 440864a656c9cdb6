import type { Report } from "../report.ts";
import type { Count } from "../tally.ts";
import { columnChart, rowChart, type Bar } from "./charts.ts";
import { markup, type Markup } from "./markup.ts";
import { style } from "./style.ts";
import { confusionTable, failureTable, threadTable } from "./tables.ts";

/** The report as one page that loads nothing: style and charts are inside, and its policy forbids everything else. */
export function reportPage(report: Report): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inbox triage</title>
${style}
</head>
<body>
<main>
<h1>Inbox triage</h1>
<p class="muted">${summary(report)}</p>
${tiles(report)}
${months(report)}
${senders(report)}
<div class="pair">
${section("Confusion matrix", confusionTable(report.quality))}
${languages(report)}
</div>
${section("Largest threads", threadTable(report.threads))}
${failures(report)}
</main>
</body>
</html>
`.text;
}

function section(title: string, ...content: readonly Markup[]): Markup {
  return markup`<section><h2>${title}</h2>${content}</section>`;
}

function summary({ totals }: Report): string {
  return (
    `${totals.messages} messages: ${totals.triaged} triaged, ${totals.failed} could not be. ` +
    `The classifier learned from ${totals.trainedOn} of them and was tested on the other ${totals.testedOn}.`
  );
}

function tiles({ totals, quality }: Report): Markup {
  const entries: [string, string | number][] = [
    ["Accuracy", percent(quality.accuracy)],
    ["Precision (spam)", percent(quality.precision)],
    ["Recall (spam)", percent(quality.recall)],
    ["Senders", totals.senders],
    ["Threads", totals.threads],
    ["Failed messages", totals.failed],
  ];
  return markup`<dl class="tiles">
${entries.map(([name, value]) => markup`<div class="tile"><dt>${name}</dt><dd>${value}</dd></div>`)}
</dl>`;
}

const legend = markup`<div class="legend"><span><span class="key ham"></span>classified as ham</span>
<span><span class="key spam"></span>classified as spam</span></div>`;

function months(report: Report): Markup {
  const title = "Messages per month";
  return section(title, legend, columnChart(`${title}, ham and spam`, report.months.map(bar)));
}

function senders(report: Report): Markup {
  const title = "Senders with most messages";
  return section(title, legend, rowChart(title, report.senders.map(bar), { labels: 240, bars: 640 }));
}

/** Languages are counted whatever the verdict: one colour. */
function languages(report: Report): Markup {
  const bars = report.languages.map(({ language, messages }) => ({ label: language, ham: messages, spam: 0 }));
  return section("Languages", rowChart("Messages by language", bars, { labels: 70, bars: 320 }));
}

function failures(report: Report): Markup {
  const reasons = report.failures.reasons.map(({ reason, messages }) => `${reason}: ${messages}`).join(" · ");
  const table = failureTable(report.failures.messages);
  return section("Messages that could not be triaged", markup`<p class="muted">${reasons}</p>`, table);
}

function percent(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

function bar({ key, ham, spam }: Count): Bar {
  return { label: key, ham, spam };
}
