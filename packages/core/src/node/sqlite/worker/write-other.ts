import type { CommandOf } from "../protocol.ts";
import { hasBlob, insertBlob, insertBlobUse, renewBlobUse } from "../sql/blobs.ts";
import { releaseRun, releaseUnbegun } from "../sql/release-run.ts";
import type { Write } from "./write.ts";

export function releaseWrite(command: CommandOf<"release">, owner: string): Write {
  const { runId, epoch, unbegun } = command.input;
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): undefined {
      connection.run(unbegun ? releaseUnbegun : releaseRun, runId, epoch, owner);
    },
    hints: () => true,
  };
}

export function putBlobWrite(command: CommandOf<"putBlob">, bytes: Uint8Array): Write {
  const { hash } = command.input;
  return {
    id: command.id,
    byteLength: bytes.byteLength,
    apply(connection): undefined {
      if (connection.get(hasBlob, hash) !== undefined) {
        connection.run(renewBlobUse, Date.now(), hash);
      } else {
        connection.run(insertBlob, hash, bytes);
        connection.run(insertBlobUse, hash, Date.now());
      }
    },
  };
}
