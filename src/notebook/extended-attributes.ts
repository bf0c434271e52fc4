import { FFIType } from "bun:ffi";
import { lazyCLibrary } from "../c-library.ts";

/** copyfile(3) of macOS: `COPYFILE_ACL | COPYFILE_XATTR`. */
const COPY_ACCESS_AND_ATTRIBUTES = 5;

const { i32, ptr: pointer, u32, u64_fast: size, i64_fast: length } = FFIType;
const macLibrary = lazyCLibrary({ fcopyfile: { args: [i32, i32, pointer, u32], returns: i32 } });
const linuxLibrary = lazyCLibrary({
  flistxattr: { args: [i32, pointer, size], returns: length },
  fgetxattr: { args: [i32, pointer, pointer, size], returns: length },
  fsetxattr: { args: [i32, pointer, pointer, size, i32], returns: i32 },
});

/** Gives one open file the extended attributes (access lists among them) of another. False if one of them cannot be given. */
export function copyAttributes(from: number, to: number): boolean {
  return process.platform === "darwin" ? copyOnMac(from, to) : copyOnLinux(from, to);
}

function copyOnMac(from: number, to: number): boolean {
  return macLibrary()?.symbols.fcopyfile(from, to, null, COPY_ACCESS_AND_ATTRIBUTES) === 0;
}

function copyOnLinux(from: number, to: number): boolean {
  const library = linuxLibrary();
  if (library === undefined) return true;
  const { flistxattr, fgetxattr, fsetxattr } = library.symbols;
  const names = callTwice((value, room) => Number(flistxattr(from, value, room)));
  return (names?.toString("latin1") ?? "").split("\0").every((name) => {
    if (name === "") return true;
    const key = Buffer.from(`${name}\0`, "latin1");
    const wanted = callTwice((value, room) => Number(fgetxattr(from, key, value, room)));
    const present = callTwice((value, room) => Number(fgetxattr(to, key, value, room)));
    if (wanted === undefined || present?.equals(wanted)) return true;
    return fsetxattr(to, key, wanted.length === 0 ? null : wanted, wanted.length, 0) === 0;
  });
}

/** Asks for the size first and then for the bytes, as these functions want it; undefined where there is nothing. */
function callTwice(call: (value: Buffer | null, room: number) => number): Buffer | undefined {
  const size = call(null, 0);
  if (size < 0) return undefined;
  if (size === 0) return Buffer.alloc(0);
  const value = Buffer.alloc(size);
  const length = call(value, size);
  return length < 0 ? undefined : value.subarray(0, length);
}
