/** What every test file begins with. */
import { skipWithoutServer } from "./without-server.ts";

skipWithoutServer();
