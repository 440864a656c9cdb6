import { type Cli, say } from "../cli.ts";

const everyMs = 2_000;

/** How far a long command is, on stderr: not before it takes two seconds, and every two seconds from then on. */
export function tally(cli: Cli, text: (done: number) => string): (done: number) => void {
  let next = performance.now() + everyMs;
  return (done) => {
    const now = performance.now();
    if (now < next) return;
    next = now + everyMs;
    say(cli, text(done));
  };
}
