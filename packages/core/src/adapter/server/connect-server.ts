import { AppendConnection, type AppendDriver } from "./append-connection.ts";
import { AppendQueue } from "./append-queue.ts";
import type { PatientCalls, ServerQueries } from "./calls.ts";
import type { ServerConnections } from "./connections.ts";
import { Listener, type HintSource } from "./listener.ts";
import { patiently, type ServerPatience } from "./patience.ts";

/** An owner's lease; see `Lease` of `@millrace/core/node`. */
export interface OwnerLease {
  start(sentAt: number): Promise<void>;
  alive(): boolean;
  stop(): Promise<void>;
  abandon(): Promise<void>;
}

/** An owner that is known at the server, and what it does there, on a connection for each kind of work. */
export interface RegisteredOwner<Settings, Owned, Client> {
  /** Tells this bearer of the owner's name from those before and after it. */
  readonly ownerN: number;
  /** Monotonic time from before its lease was asked for; see `Lease.start`. */
  readonly sentAt: number;
  readonly lease: OwnerLease;
  readonly appends: AppendDriver<Client>;
  readonly hints: HintSource;
  /** Passes a text on to all who listen, this owner among them. Absent: the server cannot. */
  readonly say?: ((text: string) => Promise<void>) | undefined;
  /** What `queries` work with. */
  readonly owned: Owned;
  readonly queries: ServerQueries<Owned>;
  /** As the server reports them. */
  settings(): Settings | undefined;
  /** The last word, said once: the owner is gone, and its runs are given up, at no cost of an attempt. */
  leave(): Promise<void>;
}

/** What only one kind of server can do, for one owner. */
export interface ServerDriver<Settings, Owned, Client> {
  /** For messages. */
  readonly name: string;
  readonly patience: ServerPatience;
  /** Brings the tables up to date and registers the owner, whose lease begins. */
  register(): Promise<RegisteredOwner<Settings, Owned, Client>>;
  /** Of all connections but that for appends: waits for what is under way. */
  close(): Promise<void>;
  /** The same, without a word to the server. */
  abandon(): void;
}

/**
 * Everything that an open handle has at its server, made, and ended, in the order that is right for all of them. `hint`: see
 * `Backend.onHint`.
 *
 * @throws MillraceError
 */
export async function connectServer<Settings, Owned, Client>(
  driver: ServerDriver<Settings, Owned, Client>,
  hint: (said?: string) => void,
): Promise<ServerConnections<Settings>> {
  const { name, patience } = driver;
  try {
    const owner = await driver.register();
    const { ownerN, lease, appends, hints } = owner;
    const appending = new AppendConnection(appends, patience.ms);
    try {
      await Promise.all([lease.start(owner.sentAt), appending.ready()]);
    } catch (error) {
      appending.abandon();
      await lease.abandon();
      await owner.leave().catch(() => undefined);
      throw error;
    }
    appending.keepAlive(false);
    const listener = new Listener(hints, hint);
    return {
      name,
      ownerN,
      lease,
      calls: callsOf(owner, patience),
      appends: new AppendQueue(appending, name),
      settings: () => owner.settings(),
      listen: () => listener.start(),
      say: owner.say,
      async close() {
        await listener.close();
        await lease.stop();
        await owner.leave().catch(() => undefined);
        await Promise.allSettled([appending.close(), driver.close()]);
      },
      async abandon() {
        appending.abandon();
        driver.abandon();
        listener.abandon();
        await lease.abandon();
      },
    };
  } catch (error) {
    driver.abandon();
    throw patience.failures.toError(error);
  }
}

function callsOf<Owned>(
  { owned, queries }: { readonly owned: Owned; readonly queries: ServerQueries<Owned> },
  patience: ServerPatience,
): PatientCalls {
  type Query = (owned: Owned, ...asked: unknown[]) => unknown;
  const bound = Object.entries<unknown>(queries).map(([name, query]) => [
    name,
    (...asked: unknown[]): unknown => (query as Query)(owned, ...asked),
  ]);
  const { failures } = patience;
  const attempt: PatientCalls["attempt"] = async (work) => {
    try {
      return await patiently(patience, work);
    } catch (error) {
      throw failures.toError(error);
    }
  };
  return { ...(Object.fromEntries(bound) as Omit<PatientCalls, "failures" | "attempt">), failures, attempt };
}
