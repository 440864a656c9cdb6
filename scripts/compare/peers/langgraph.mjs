import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let began = 0;
let successor = 0;
const State = Annotation.Root({ log: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const app = new StateGraph(State)
  .addNode("fast", async () => (await sleep(10), { log: ["fast"] }))
  .addNode("slow", async () => (await sleep(500), { log: ["slow"] }))
  .addNode("next", async () => ((successor = performance.now() - began), { log: ["next"] }))
  .addEdge(START, "fast")
  .addEdge(START, "slow")
  .addEdge("fast", "next")
  .addEdge("next", END)
  .addEdge("slow", END)
  .compile({ checkpointer: new MemorySaver() });
for (let i = 0; i < 3; i++) {
  began = performance.now();
  await app.invoke({ log: [] }, { configurable: { thread_id: String(i) } });
}
console.log("run with nothing beside this process: yes (durable with a checkpointer package)");
console.log(`fork of a 10 ms and a 500 ms branch: the fast branch's successor starts after ${successor.toFixed(0)} ms`);
process.exit(0);
