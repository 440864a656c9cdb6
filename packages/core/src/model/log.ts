/** `ctx.log`: lines for people, with the run and the node they come from. Below the engine's level nothing is made. */
export interface Log {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}
