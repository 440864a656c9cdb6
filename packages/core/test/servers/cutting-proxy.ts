import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

import { onTestFinished } from "vitest";

/**
 * A connection in the middle that can be cut where it hurts: `request` before the server hears the next statement whose
 * messages hold a text, `reply` after the server has answered it; the same with the next ones, `times` in all.
 */
export interface CuttingProxy {
  readonly url: string;
  cut(what: "request" | "reply", text: string, times?: number): void;
  /** How often it cut. */
  readonly cuts: number;
}

export async function cuttingProxy(target: string, isAnswered: (piece: Buffer) => boolean): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const plan: { next: { what: "request" | "reply"; text: string } | undefined; times: number; cuts: number } = {
    next: undefined,
    times: 0,
    cuts: 0,
  };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isDoomed = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on("error", end).on("close", end);
    }
    client.on("data", (chunk: Buffer) => {
      const { next } = plan;
      if (next !== undefined && chunk.includes(next.text)) {
        plan.cuts += 1;
        plan.times -= 1;
        if (plan.times === 0) plan.next = undefined;
        if (next.what === "request") return end();
        isDoomed = true;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      if (!isDoomed) client.write(chunk);
      else if (isAnswered(chunk)) end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: (what, text, times = 1) => void Object.assign(plan, { next: { what, text }, times }),
    get cuts() {
      return plan.cuts;
    },
  };
}
