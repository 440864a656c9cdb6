import { DBOS } from "@dbos-inc/dbos-sdk";

const step = DBOS.registerWorkflow(async () => 1, { name: "one" });
console.error = console.warn = () => undefined;
try {
  DBOS.setConfig({
    name: "compare",
    systemDatabaseUrl: "postgresql://postgres@127.0.0.1:5432/compare",
    logLevel: "critical",
  });
  const late = new Promise((_, fail) =>
    setTimeout(() => fail(new Error("DBOS.launch() still waits for PostgreSQL after 20 s")), 20_000),
  );
  await Promise.race([DBOS.launch(), late]);
  await step();
  console.log("a PostgreSQL answers on 127.0.0.1:5432: stop it to see what happens without one");
} catch (error) {
  console.log(
    `run with nothing beside this process: no (${String(error.message).split("\n")[0] || error.errors?.[0]?.message || error.code})`,
  );
}
process.exit(0);
