/** An error as its reader needs it: what went wrong, why, what to do. A stack only when MILLRACE_DEBUG asks for it. */
import { inspect } from "node:util";
import type { Cli } from "../cli.ts";
import { exitCodeOfError } from "./error-exit.ts";
import { ExitCode } from "../exit.ts";
import { CliFailure } from "./failure.ts";
import { oneLine } from "../format/text.ts";
import type { Paint } from "../format/style.ts";
import { showFrame, userFrame } from "./user-frame.ts";

export interface Report {
  readonly code: string;
  readonly message: string;
  readonly causes: readonly string[];
  readonly details: readonly string[];
  readonly hint: string | undefined;
  readonly exit: ExitCode;
}

export function reportOf(error: unknown, cwd: string): Report {
  const causes = causesOf(error);
  if (error instanceof CliFailure) {
    const { code, message, details, hint, exit } = error;
    return { code, message, causes, details, hint, exit };
  }
  if (isEngineError(error)) {
    const message = oneLine(withoutHint(error.message));
    return { code: error.code, message, causes, details: [], hint: error.hint, exit: exitCodeOfError(error.code) };
  }
  return unexpected(error, causes, cwd);
}

export function showReport(report: Report, paint: Paint): string {
  const lines = [`${paint("error:", "bad")} ${report.message}`];
  lines.push(...report.details.map((line) => `  ${line}`));
  lines.push(...report.causes.map((cause) => `  ${paint("cause:", "quiet")} ${cause}`));
  if (report.hint !== undefined) lines.push(`  ${paint("hint:", "quiet")} ${report.hint}`);
  return `${lines.join("\n")}\n`;
}

/** The document that stands on stdout in place of the result when `--json` was asked for. */
export function reportJson({ code, message, causes, details, hint, exit }: Report): unknown {
  return { error: { code, message, causes, details, hint: hint ?? null, exitCode: exit } };
}

export function showStack(error: unknown, cli: Pick<Cli, "env">): string {
  return (cli.env["MILLRACE_DEBUG"] ?? "") === "" ? "" : `${inspect(error)}\n`;
}

/** `MillraceError`, whichever copy of the package made it. */
export function isEngineError(
  error: unknown,
): error is Error & { readonly code: string; readonly hint: string | undefined } {
  return error instanceof Error && typeof (error as { docs?: unknown }).docs === "string";
}

function unexpected(error: unknown, causes: readonly string[], cwd: string): Report {
  const frame = userFrame(error);
  const message = error instanceof Error ? `${error.name}: ${oneLine(error.message)}` : oneLine(String(error));
  return {
    code: "Unexpected",
    message,
    causes,
    details: frame === undefined ? [] : [`at ${showFrame(frame, cwd)}`],
    hint: frame === undefined ? "set MILLRACE_DEBUG=1 to see where it was thrown" : undefined,
    exit: ExitCode.failed,
  };
}

/** What each cause adds to what was said already; at most five. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  let said = error instanceof Error ? error.message : "";
  let at = error instanceof Error ? error.cause : undefined;
  for (let depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    const text = oneLine(at instanceof Error ? withoutHint(at.message) : inspect(at));
    if (text !== "" && !said.includes(text)) causes.push(text);
    said += text;
    at = at instanceof Error ? at.cause : undefined;
  }
  return causes;
}

/** A `MillraceError` repeats its hint in the message. */
export function withoutHint(message: string): string {
  return message.split("\n  hint: ")[0]!;
}
