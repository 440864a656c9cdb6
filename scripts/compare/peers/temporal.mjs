import { Connection } from "@temporalio/client";

try {
  await Connection.connect({ address: "127.0.0.1:7233", connectTimeout: 3000 });
  console.log("a Temporal server answers on 127.0.0.1:7233: stop it to see what happens without one");
} catch (error) {
  console.log(`run with nothing beside this process: no (${error.message.split("\n")[0]})`);
}
process.exit(0);
