import type { Command } from "../protocol.ts";
import type { Answers } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { findEntry, scanEntries } from "./entries.ts";
import { arrivalsFor, inboxOf, notesOf } from "./notes.ts";
import { carriedBy, findBlob, listRuns, readPage } from "./reads.ts";
import { findRun } from "./run-row.ts";

const names = [
  "get",
  "list",
  "read",
  "getBlob",
  "inbox",
  "notes",
  "arrivals",
  "carried",
  "getEntry",
  "scanEntries",
] as const;

export type ReadCommand = Extract<Command, { name: (typeof names)[number] }>;

export function isRead(command: Command): command is ReadCommand {
  return (names as readonly string[]).includes(command.name);
}

export function answerRead(
  reader: Connection,
  command: ReadCommand,
  owner: string,
  bytes: Uint8Array,
  answers: Answers,
): void {
  switch (command.name) {
    case "get":
      return answers.succeed(command.id, findRun(reader, command.input.runId));
    case "list":
      return answers.succeed(command.id, listRuns(reader, command.input));
    case "inbox":
      return answers.succeed(command.id, inboxOf(reader, command.input.runId));
    case "notes":
      return answers.succeed(command.id, notesOf(reader, command.input.runId));
    case "arrivals":
      return answers.succeed(command.id, arrivalsFor(reader, owner, command.input.limit));
    case "carried":
      return answers.succeed(command.id, carriedBy(reader, command.input));
    case "getEntry":
      return answers.succeed(command.id, findEntry(reader, bytes));
    case "scanEntries":
      return answers.succeed(command.id, scanEntries(reader, command, bytes));
    case "read": {
      const page = readPage(reader, command.input.runId, command.input.fromSeq);
      return answers.succeedWithBytes(command.id, page, page.bytes);
    }
    case "getBlob": {
      const blob = findBlob(reader, command.input.hash);
      return answers.succeedWithBytes(command.id, blob, blob);
    }
  }
}
