import type { Quality } from "../confusion.ts";
import type { Failure } from "../failures.ts";
import type { Thread } from "../threads.ts";
import { markup, type Markup } from "./markup.ts";

export function confusionTable({ confusion }: Quality): Markup {
  return markup`<table>
<caption>Messages of the test split, which training never saw</caption>
<thead><tr><th></th><th class="number">taken for ham</th><th class="number">taken for spam</th></tr></thead>
<tbody>
<tr><th>is ham</th><td class="number good">${confusion.hamAsHam}</td><td class="number bad">${confusion.hamAsSpam}</td></tr>
<tr><th>is spam</th><td class="number bad">${confusion.spamAsHam}</td><td class="number good">${confusion.spamAsSpam}</td></tr>
</tbody>
</table>`;
}

export function threadTable(threads: readonly Thread[]): Markup {
  return markup`<table>
<thead><tr><th>Subject</th><th class="number">Messages</th><th class="number">People</th><th class="number">From</th><th class="number">To</th></tr></thead>
<tbody>
${threads.map(threadRow)}
</tbody>
</table>`;
}

function threadRow({ subject, messages, participants, first, last }: Thread): Markup {
  return markup`<tr><td><bdi>${subject === "" ? "(no subject)" : subject}</bdi></td>
<td class="number">${messages}</td><td class="number">${participants}</td>
<td class="number">${day(first)}</td><td class="number">${day(last)}</td></tr>`;
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function failureTable(failures: readonly Failure[]): Markup {
  return markup`<table>
<thead><tr><th>Message</th><th>Reason</th><th>Detail</th></tr></thead>
<tbody>
${failures.map(failureRow)}
</tbody>
</table>`;
}

function failureRow({ id, reason, message }: Failure): Markup {
  return markup`<tr><td class="short"><code>${id}</code></td><td class="short">${reason}</td><td><bdi>${message}</bdi></td></tr>`;
}
