import { connect } from "@restatedev/restate-sdk-clients";

try {
  await connect({ url: "http://127.0.0.1:8080" }).serviceClient({ name: "greeter" }).greet("x");
  console.log("a Restate server answers on 127.0.0.1:8080: stop it to see what happens without one");
} catch (error) {
  console.log(
    `run with nothing beside this process: no (${error.message}: ${error.cause?.code ?? error.cause?.message ?? "no server"})`,
  );
}
process.exit(0);
