import assert from "node:assert/strict";
import { storeOver } from "../../store/store.ts";
import type { ContractCase } from "../backend-contract/scene.ts";
import { Dice } from "../dice.ts";
import { opened } from "./fixtures.ts";

const parts = ["a", "a\0", "A", "ä", "%", "b", "🌊"];
const words = ["tea", "Green", "%_", "Ünder"];

interface Fact {
  readonly n: number;
  readonly text: string;
}

/** What the store does, said plainly: all facts by place, sorted when somebody asks. */
class Model {
  readonly facts: Map<string, Fact> = new Map();

  search(prefix: readonly string[], from: number, word: string, limit: number, offset: number): [string, Fact][] {
    return [...this.facts]
      .filter(([place]) => isBelow(JSON.parse(place) as string[], prefix))
      .filter(([, { n, text }]) => n >= from && text.toLowerCase().includes(word.toLowerCase()))
      .toSorted(([a], [b]) => compareLists(JSON.parse(a) as string[], JSON.parse(b) as string[]))
      .slice(offset, offset + limit);
  }
}

function isBelow(place: readonly string[], prefix: readonly string[]): boolean {
  return place.length > prefix.length && prefix.every((part, i) => part === place[i]);
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const order = Buffer.compare(Buffer.from(part), Buffer.from(other));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export const modelCases: readonly ContractCase[] = [1, 2].map((seed) => ({
  title: `S13 R21 whatever is put, deleted and searched through two handles, a list of all facts would say the same (seed ${seed})`,
  async play(scene) {
    const dice = new Dice(seed);
    const stores = [storeOver(await opened(scene, "a")), storeOver(await opened(scene, "b"))];
    const model = new Model();
    const list = (least: number): string[] => Array.from({ length: least + dice.below(3) }, () => dice.of(parts));
    for (let i = 0; i < 150; i++) {
      const store = dice.of(stores);
      const place = list(2);
      const [namespace, key] = [place.slice(0, -1), place.at(-1)!];
      const known = JSON.stringify(place);
      const throwOf = dice.fraction();
      if (throwOf < 0.55) {
        const fact = { n: i, text: `${dice.of(words)} ${dice.of(words)}` };
        await store.put(namespace, key, fact);
        model.facts.set(known, fact);
      } else if (throwOf < 0.7) {
        await store.delete(namespace, key);
        model.facts.delete(known);
      } else if (throwOf < 0.8) {
        assert.deepEqual((await store.get(namespace, key))?.value, model.facts.get(known));
      } else {
        const [prefix, from, word] = [list(0), dice.below(i + 1), dice.of(words)];
        const [limit, offset] = [1 + dice.below(8), dice.below(4)];
        const items = await store.search<Fact>(prefix, { filter: { n: { $gte: from } }, query: word, limit, offset });
        assert.deepEqual(
          items.map((item) => [JSON.stringify([...item.namespace, item.key]), item.value]),
          model.search(prefix, from, word, limit, offset),
        );
      }
    }
  },
}));
