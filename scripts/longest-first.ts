/**
 * The order of test files: those that take longest begin first, so that no processor is left with one of them at the end while
 * the others have nothing to do. All others by project, for files of one project share a process.
 */
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root } from "./packages.ts";

/** From the longest on. One that is not here comes later, and one that is no more changes nothing. */
const longest = [
  "packages/postgres/test/contract.test.ts",
  "packages/core/test/sigkill/sigkill.test.ts",
  "packages/mysql/test/contract.test.ts",
  "packages/core/test/property/workers-async.test.ts",
  "packages/core/test/property/workers-sync.test.ts",
  "packages/core/test/property/workers-exit.test.ts",
  "packages/millrace/test/e2e/server-mysql.test.ts",
  "packages/core/test/node/encrypted/contract.test.ts",
  "packages/millrace/test/e2e/server-postgres.test.ts",
  "packages/core/test/node/sqlite-contract.test.ts",
  "packages/core/test/property/every-record.test.ts",
  "packages/millrace/test/e2e/forks.test.ts",
  "packages/millrace/test/e2e/inbox.test.ts",
  "packages/millrace/test/e2e/care.test.ts",
  "packages/core/test/property/crash-resume-sync.test.ts",
  "packages/core/test/property/crash-resume-async.test.ts",
  "packages/millrace/test/e2e/questions.test.ts",
  "packages/millrace/test/e2e/run.test.ts",
  "packages/millrace/test/e2e/docs.test.ts",
  "packages/millrace/test/e2e/read.test.ts",
  "packages/millrace/test/e2e/mistakes.test.ts",
  "packages/core/test/acceptance/sigkill.test.ts",
  "packages/millrace/test/e2e/store.test.ts",
  "packages/millrace/test/e2e/databases.test.ts",
  "packages/core/test/state-graph/conformance.test.ts",
  "examples/inbox/test/demo.test.ts",
  "packages/core/test/property/forks.test.ts",
  "packages/postgres/test/takeover.test.ts",
  "packages/mysql/test/takeover.test.ts",
].map((path) => join(root, path));

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (file: TestSpecification): number => longest.indexOf(file.moduleId);
    const isLong = (file: TestSpecification): boolean => place(file) >= 0 && !file.project.name.startsWith("hostile");
    return [
      ...files.filter(isLong).toSorted((a, b) => place(a) - place(b)),
      ...(await super.sort(files.filter((file) => !isLong(file)))),
    ];
  }
}
