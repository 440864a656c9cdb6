/** Loop: Newton's method, until two guesses are close. Every turn is a context of its own: `newton#3/improve`. */
import { derive, graph, loop, op, openEngine, type Ref } from "millrace";

const improve = op("improve", ({ x, n }: { x: number; n: number }) => ({ x: (x + n / x) / 2 }));

const squareRoot = graph("squareRoot", (input: Ref<{ n: number }>) =>
  loop("newton", { max: 50 }, { x: input.n, turns: 0 }, (state) => {
    const next = improve({ x: state.x, n: input.n });
    const turns = derive(state.turns, (k) => k + 1);
    return {
      next: { x: next.x, turns },
      until: derive([state.x, next.x], ([before, now]) => Math.abs(before - now) < 1e-9),
      result: { root: next.x, turns },
    };
  }),
);

const engine = await openEngine();
console.log(await engine.run(squareRoot, { n: 2 }));

const stuck = await (await engine.start(squareRoot, { n: -1 })).result(); // has no root: it never comes close
console.log(stuck.status, stuck.errors[0]?.code);
await engine.close();
