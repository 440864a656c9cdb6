import type { Command, CommandOf } from "../protocol.ts";
import type { ReadCommand } from "./answer-read.ts";
import type { Owners } from "./owners.ts";
import type { Write } from "./write.ts";
import { claimWrite } from "./write-claim.ts";
import { compactWrite, noteSnapshotWrite } from "./write-compact.ts";
import { createWrite } from "./write-create.ts";
import { entryWrite, expireWrite } from "./entries.ts";
import { fenceAllWrite } from "./write-fence.ts";
import { putBlobWrite, releaseWrite } from "./write-other.ts";
import { postWrite, rejectWrite } from "./write-post.ts";
import { requeueWrite } from "./write-requeue.ts";
import { restoreWrite } from "./write-restore.ts";
import { pruneWrite } from "./write-prune.ts";

export type WriteCommand = Exclude<
  Command,
  ReadCommand | { name: "open" | "close" | "stats" | "watch" | "living" | "integrity" | "vacuum" }
>;

export function writeOf(command: WriteCommand, bytes: Uint8Array, owners: Owners): Write {
  switch (command.name) {
    case "create":
      return createWrite(command, bytes, owners.self);
    case "claim":
      return claimWrite(command, owners);
    case "release":
      return releaseWrite(command, owners.self);
    case "post":
      return postWrite(command, bytes, owners);
    case "reject":
      return rejectWrite(command);
    case "putBlob":
      return putBlobWrite(command, bytes);
    case "restore":
      return restoreWrite(command, bytes);
    case "noteSnapshot":
      return noteSnapshotWrite(command);
    case "compact":
      return compactWrite(command, bytes);
    case "prune":
      return pruneWrite(command);
    default:
      return isOfStore(command) ? storeWrite(command, bytes) : disowningWrite(command, owners);
  }
}

type OfStore = CommandOf<"writeEntry"> | CommandOf<"expireEntries">;

function isOfStore(command: WriteCommand): command is OfStore {
  return command.name === "writeEntry" || command.name === "expireEntries";
}

function storeWrite(command: OfStore, bytes: Uint8Array): Write {
  return command.name === "writeEntry" ? entryWrite(command, bytes) : expireWrite(command);
}

/** Those that take runs away from whoever has them. */
function disowningWrite(command: CommandOf<"requeue"> | CommandOf<"fenceAll">, owners: Owners): Write {
  return command.name === "requeue" ? requeueWrite(command, owners) : fenceAllWrite(command);
}
