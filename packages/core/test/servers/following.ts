import { expect, onTestFinished, test } from "vitest";
import { counting, pace } from "../acceptance/support/counting.ts";
import { open } from "../acceptance/support/engines.ts";
import { readUntil } from "../acceptance/support/follow.ts";
import { forever } from "../acceptance/support/gate.ts";
import { urlOf, type ServerHarness } from "./harness.ts";

export function followingTests(harness: ServerHarness): void {
  test("who follows a run of another engine is told all of it, also over the death of its owner", async () => {
    const place = harness.fresh();
    const handles = [1, 2, 3].map(() => harness.backend(urlOf(harness), place, {}));
    const [dying, looking, inheriting] = handles as [(typeof handles)[0], (typeof handles)[0], (typeof handles)[0]];
    onTestFinished(() => {
      pace.wait = () => Promise.resolve();
    });
    pace.wait = (n) => (n === 3 ? forever() : Promise.resolve());
    const owner = await open({ backend: dying, graphs: [counting] });
    await owner.start(counting, { to: 5 }, { id: "run" });
    const web = await open({ backend: looking, graphs: [counting], recover: false });
    const items = (await web.handle("run")).items("twice");
    const reading = readUntil(web, "run");
    expect([await items.next(), await items.next()].map(({ value }) => value)).toEqual([2, 4]);
    const { owner: dead } = (await looking.get("run"))!;
    await dying.abandon();
    await harness.lapse(place, dead!);
    pace.wait = () => Promise.resolve();
    const heir = await open({ backend: inheriting, graphs: [counting] });
    const result = await heir.recovered[0]!.result();
    const { events } = await reading;
    expect(await Array.fromAsync(items)).toEqual([6, 8, 10]);
    expect(events.at(-1)).toMatchObject({ result });
    expect((await readUntil(heir, "run")).events).toEqual(events);
  });
}
