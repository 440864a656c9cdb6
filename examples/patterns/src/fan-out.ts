/** Fan-out with failing items: what fails is a row of the result, and stops nothing else. */
import { collect, derive, each, graph, op, openEngine, type Ref } from "millrace";

const fetchPage = op("fetchPage", async ({ url }: { url: string }) => {
  if (url.startsWith("broken")) throw new Error(`${url} is down`);
  return { html: `<h1>${url}</h1>` };
});
const titleOf = op("titleOf", ({ html }: { html: string }) => ({ title: html.slice(4, -5) }));

const survey = graph("survey", (input: Ref<{ urls: string[] }>) => {
  const url = each(input.urls);
  const page = fetchPage({ url }, { parallel: 4 }); // once per url, four at a time
  const { title } = titleOf({ html: page.html });
  const rows = collect(title, { errors: "settle" }); // { ok, value } or { ok, error }, in the order of the urls
  return {
    lines: derive(rows, (all) => all.map((row) => (row.ok ? row.value : `${row.error.path}: ${row.error.message}`))),
    titles: collect(title, { errors: "skip" }),
  };
});

const engine = await openEngine();
const handle = await engine.start(survey, { urls: ["a.example", "broken.example", "b.example", "broken.test"] });
const result = await handle.result();
if (result.status === "completed") console.log(result.output);
for (const { node, count, path, handled } of result.errors) console.log({ node, count, path, handled });
await engine.close();
