/** Files that are started by their path, `new URL("./worker/main.ts", import.meta.url)`: threads and programs. */
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Rolldown } from "tsdown";

/** Stands for the folder of the compiled files until it is known where the file is that names it. */
const dist = "@dist/";

/** They are packed at their own places, and the URLs point there from wherever their module was packed. */
export function startedFiles(sources: string): Rolldown.Plugin {
  return {
    name: "started-files",
    transform(code, id) {
      const pointed = (path: string): string => {
        const source = resolve(dirname(id), path.replace(/\.js$/, ".ts"));
        // An example in a comment or in a message.
        if (!existsSync(source)) return path;
        const folder = path.endsWith("/") && source !== sources ? "/" : "";
        const place = relative(sources, source).replace(/\.ts$/, ".js") + folder;
        if (source.endsWith(".ts")) this.emitFile({ type: "chunk", id: source, fileName: place });
        return dist + place;
      };
      return code.replaceAll(/new URL\([^;]*?, import\.meta\.url\)/g, (url) =>
        url.replaceAll(/"(\.{1,2}\/[^"]*)"/g, (_, path: string) => `"${pointed(path)}"`),
      );
    },
    renderChunk(code, { fileName }) {
      const up = relative(dirname(fileName), ".");
      return code.replaceAll(`"${dist}`, `"${up === "" ? "." : up}/`);
    },
  };
}
