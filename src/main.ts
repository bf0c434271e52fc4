import { VERSION } from "./version.ts";

process.stdout.write(`${VERSION}\n`);
