/** The node of the matrix in each of its kinds. A module of its own: the workers of a pool load it too. */
import { graph, op, type OpCtx, type Ref } from "../../../src/index.ts";

/** `flaky` has a value at its third attempt. */
export type Act = "ok" | "throw" | "hang" | "flaky";

interface Input {
  readonly x: string;
  readonly act: Act;
}

/** Nodes whose body was aborted, in this thread. */
export const aborted: string[] = [];

function misbehave({ act }: Input, { attempt }: OpCtx): void {
  if (act === "throw" || (act === "flaky" && attempt < 3)) throw Object.assign(new Error("no"), { code: "E_NO" });
}

/** Gives way when it is told to; until then it only waits. */
export function hang(ctx: OpCtx): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = (): void => {
      aborted.push(ctx.node);
      reject(new Error("aborted"));
    };
    ctx.signal.addEventListener("abort", leave, { once: true });
  });
}

async function work(input: Input, ctx: OpCtx): Promise<{ v: string }> {
  await Promise.resolve();
  if (input.act === "hang") await hang(ctx);
  misbehave(input, ctx);
  return { v: `${input.x}!` };
}

export const inline = op("inline", (input: Input, ctx) => {
  misbehave(input, ctx);
  return { v: `${input.x}!` };
});

export const later = op("later", work);

export const cpu = op("cpu", { bound: "cpu" }, work);

export const items = op("items", function* (input: Input, ctx) {
  misbehave(input, ctx);
  yield { v: `${input.x}1` };
  yield { v: `${input.x}2` };
});

export const laterItems = op("laterItems", async function* (input: Input, ctx) {
  await Promise.resolve();
  if (input.act === "hang") await hang(ctx);
  misbehave(input, ctx);
  yield { v: `${input.x}1` };
  yield { v: `${input.x}2` };
});

/** A graph around the asynchronous op, with the policies on the op inside. */
export function subgraph(act: Act, policies: object): typeof later {
  return graph("sub", (input: Ref<{ x: string }>) => ({
    v: later({ x: input.x, act }, policies).v,
  }));
}
