import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";

import type { Command, CommandOf, Request, RequestMessage, WorkerOptions } from "../protocol.ts";
import { Answers } from "./answers.ts";
import { toFailure } from "./failure.ts";
import { Service } from "./service.ts";
import { warmUp } from "./warm-up.ts";

/**
 * The worker thread. The first request opens the database, the last closes it; between them every turn takes all that
 * waits at the port and commits it together.
 */
const port = parentPort;
if (port === null) throw new Error("this file is a worker thread's");
const options = workerData as WorkerOptions;
const answers = new Answers(port);
let service: Service | undefined;

port.on("message", (message: RequestMessage) => {
  const first = message.requests[0];
  if (first !== undefined && is(first, "open")) {
    void open(first);
  } else if (service !== undefined) {
    serve(service, message);
  }
});

function serve(opened: Service, message: RequestMessage): void {
  take(opened, message);
  do {
    for (let more = receiveMessageOnPort(port!); more !== undefined; more = receiveMessageOnPort(port!)) {
      take(opened, more.message as RequestMessage);
    }
  } while (opened.commitSome());
}

function take(opened: Service, message: RequestMessage): void {
  const last = message.requests.at(-1);
  if (last !== undefined && is(last, "close")) {
    opened.receive({ ...message, requests: message.requests.slice(0, -1) });
    void close(opened, last.id);
  } else {
    opened.receive(message);
  }
}

async function open(command: CommandOf<"open">): Promise<void> {
  try {
    service = await Service.open(options, command.input.owner, answers);
    answers.succeed(command.id, service.settings());
    answers.flush();
    serve(service, warmUp);
  } catch (error) {
    answers.fail(command.id, toFailure(error, options.file));
    end();
  }
}

async function close(opened: Service, id: number): Promise<void> {
  try {
    await opened.close();
    answers.succeed(id, undefined);
  } catch (error) {
    answers.fail(id, toFailure(error, options.file));
  }
  end();
}

/** Without its port the thread has nothing to wait for, and ends. */
function end(): void {
  answers.flush();
  port?.close();
}

function is<Name extends Command["name"]>(request: Request, name: Name): request is CommandOf<Name> & Request {
  return "name" in request && request.name === name;
}
