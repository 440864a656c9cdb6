/** Runs a graph in an engine whose lease has lapsed, and is renewed a while later. Nothing else keeps the process. */
import { graph, memory, op, openEngine, WrappedBackend, type Ref } from "../../../src/index.ts";

const since = performance.now();

class Late extends WrappedBackend {
  override alive(): boolean {
    return performance.now() - since > 400;
  }
}

const inc = op("inc", async ({ n }: { n: number }) => ({ n: n + 1 }));
const flow = graph("flow", ({ n }: Ref<{ n: number }>) => ({ n: inc({ n }).n }));
const engine = await openEngine({ backend: new Late(memory()), poll: "100ms" });
process.stdout.write("running\n");
process.stdout.write(`${JSON.stringify(await engine.run(flow, { n: 1 }))}\n`);
await engine.close();
process.stdout.write("closed\n");
