/** A script of the project in the folder argv[2]. It ends without closing anything. */
import { graph, op, openEngine, type Ref } from "../../../src/index.ts";
import { projectTraces } from "../../../src/node/index.ts";

process.chdir(process.argv[2] ?? ".");

const login = op("login", async ({ user, password }: { user: string; password: string }) => {
  if (password.length < 3) throw new Error("too short");
  return { session: `${user}'s` };
});
const declared = graph("declaredName", (input: Ref<{ user: string; password: string }>) => login(input));

const engine = await openEngine({
  traces: { sinks: [projectTraces()], exclude: ["*.input.password", "input.output.password"] },
});
const { session } = await engine.run(declared, { user: "ann", password: "canary-7f3a" });
console.log(session);
