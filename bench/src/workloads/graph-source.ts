/** The source of a module with one graph of so many nodes, as somebody would write it: nothing annotated but the input. */
export function sourceOf(nodes: number): string {
  const lines: string[] = [];
  for (let i = 0; i < nodes; i++) lines.push(`  ${node(i)}`);
  return `import { collect, derive, each, graph, op, orElse, text, when, type Ref } from "@millrace/core";

const step = op("step", async (input: { x: number; label?: string; opts?: { deep: { flag: boolean } } }) => ({
  x: input.x + 1,
  label: "a" as "a" | "b",
  list: [{ id: 1, name: "n", tags: ["t"] }],
  maybe: undefined as { inner: { value: number } } | undefined,
  big: true as boolean,
}));

export const generated = graph("generated", (input: Ref<{ x: number; who?: string }>) => {
  const n_0 = step({ x: input.x });
${lines.join("\n")}
  return { x: n_${nodes}.x, all: n_${nodes} };
});

export { collect, derive, each, orElse, text, when };
`;
}

/** Every tenth something else than a plain call. */
function node(i: number): string {
  const [before, now] = [`n_${i}`, `n_${i + 1}`];
  const named = `{ name: "n${i}" }`;
  switch (i % 10) {
    case 3:
      return `const s_${i} = collect(step({ x: each(${before}.list).id }, ${named}).x); const ${now} = step({ x: derive(s_${i}, (xs) => xs.length) }, { name: "m${i}" });`;
    case 6:
      return `const w_${i} = when("w${i}", ${before}.big, () => step({ x: ${before}.x }), () => ({ x: 0, label: "b" as const })); const ${now} = step({ x: w_${i}.x, label: w_${i}.label }, ${named});`;
    case 8:
      return `const ${now} = step({ x: orElse(${before}.maybe.inner.value, 1), label: text\`x \${${before}.x}\` }, ${named});`;
    default:
      return `const ${now} = step({ x: ${before}.x, opts: { deep: { flag: ${before}.big } } }, ${named});`;
  }
}
