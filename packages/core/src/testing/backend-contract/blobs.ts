import assert from "node:assert/strict";

import type { ContractCase } from "./scene.ts";

export const blobCases: readonly ContractCase[] = [
  {
    title: "H25 a blob comes back byte for byte, also to another engine and after a crash",
    async play(scene) {
      const backend = await scene.open("a");
      const bytes = new Uint8Array(3 << 20).map((_, i) => (i * 7) & 0xff);
      await backend.putBlob("sha256:large", bytes);
      await backend.putBlob("sha256:empty", new Uint8Array(0));
      assert.ok(Buffer.from(bytes).equals((await backend.getBlob("sha256:large"))!));
      assert.equal((await backend.getBlob("sha256:empty"))?.byteLength, 0);
      await scene.crash(backend);
      const later = await scene.open("b");
      assert.ok(Buffer.from(bytes).equals((await later.getBlob("sha256:large"))!));
    },
  },
  {
    title: "storing a blob twice is harmless, also at once and from two engines",
    async play(scene) {
      const engines = [await scene.open("a"), await scene.open("b")];
      const bytes = new Uint8Array([1, 0, 255]);
      await Promise.all(Array.from({ length: 10 }, (_, i) => engines[i % 2]!.putBlob("h", bytes)));
      for (const backend of engines) assert.deepEqual(new Uint8Array((await backend.getBlob("h"))!), bytes);
    },
  },
  {
    title: "a blob nobody stored is undefined",
    async play(scene) {
      const backend = await scene.open("a");
      assert.equal(await backend.getBlob("nothing"), undefined);
      assert.equal(await backend.getBlob("__proto__"), undefined);
    },
  },
  {
    title: "a blob is the store's own: changing what went in or came out changes nothing",
    async play(scene) {
      const backend = await scene.open("a");
      const bytes = Buffer.from("kept");
      await backend.putBlob("h", bytes);
      assert.equal(bytes.toString(), "kept");
      bytes.fill(0);
      (await backend.getBlob("h"))!.fill(0);
      assert.equal(Buffer.from((await backend.getBlob("h"))!).toString(), "kept");
    },
  },
];
