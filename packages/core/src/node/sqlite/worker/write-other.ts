import type { CommandOf } from "../protocol.ts";
import { insertBlob } from "../sql/blobs.ts";
import { releaseRun } from "../sql/release-run.ts";
import type { Write } from "./write.ts";

export function releaseWrite(command: CommandOf<"release">, owner: string): Write {
  const { runId, epoch } = command.input;
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): undefined {
      connection.run(releaseRun, runId, epoch, owner);
    },
  };
}

export function putBlobWrite(command: CommandOf<"putBlob">, bytes: Uint8Array): Write {
  return {
    id: command.id,
    byteLength: bytes.byteLength,
    apply(connection): undefined {
      connection.run(insertBlob, command.input.hash, bytes);
    },
  };
}
