/** Writes down what Millrace does with the definitions where it deliberately does otherwise: `node record-ours.ts [NAME …]`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { definitions } from "../../../../../../conformance/langgraph/definitions/index.ts";
import { deliberate } from "../../../../../../conformance/langgraph/deliberate.ts";
import { memory } from "../../../../src/index.ts";
import { play } from "../play.ts";

const folder = join(import.meta.dirname, "../../../../../../conformance/langgraph/ours");
const wanted = process.argv.slice(2);

for (const definition of definitions) {
  const { name } = definition;
  if (!Object.hasOwn(deliberate, name) || (wanted.length > 0 && !wanted.includes(name))) continue;
  const played = await play(definition, memory());
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(played, null, 1)}\n`);
}
