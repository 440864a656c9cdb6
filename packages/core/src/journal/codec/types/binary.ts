// Typed arrays, Buffer, ArrayBuffer and DataView: the bytes in view, as base64, little-endian as on every platform that
// JavaScript runs on. A view comes back on a buffer of its own. Extra properties on a typed array are not looked for:
// listing its keys would cost one string per element.

import type { ValueType, Writing } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { fromBase64, PlatformBuffer, toBase64 } from "../base64.ts";

interface TypedArrayClass {
  readonly name: string;
  readonly prototype: object;
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): object;
}

const TYPED_ARRAYS = [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float16Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
] as const;

const arrayBufferType: ValueType = {
  tag: "ArrayBuffer",
  prototype: ArrayBuffer.prototype,
  write: (value, writing) => writeBytes(value as ArrayBuffer, 0, (value as ArrayBuffer).byteLength, writing),
  read: (form) => readBytes(form).buffer,
};

const dataViewType: ValueType = {
  tag: "DataView",
  prototype: DataView.prototype,
  write: writeView,
  read: (form) => new DataView(readBytes(form).buffer),
};

const bufferType: ValueType = {
  tag: "Buffer",
  ...(PlatformBuffer === undefined ? {} : { prototype: PlatformBuffer.prototype }),
  write: writeView,
  read(form) {
    const bytes = readBytes(form);
    return PlatformBuffer === undefined ? bytes : PlatformBuffer.from(bytes.buffer, 0, bytes.length);
  },
};

export const binaryTypes: readonly ValueType[] = [
  ...TYPED_ARRAYS.map(typedArrayType),
  bufferType,
  arrayBufferType,
  dataViewType,
];

function typedArrayType(tag: string): ValueType {
  const type = (globalThis as unknown as Record<string, TypedArrayClass | undefined>)[tag];
  return {
    tag,
    ...(type === undefined ? {} : { prototype: type.prototype }),
    write: writeView,
    read(form) {
      if (type === undefined) throw corrupt(`this platform has no ${tag}`);
      const bytes = readBytes(form);
      if (bytes.length % type.BYTES_PER_ELEMENT !== 0) throw corrupt(`malformed ${tag}`);
      return new type(bytes.buffer);
    },
  };
}

function writeView(value: unknown, writing: Writing): string {
  const view = value as ArrayBufferView;
  return writeBytes(view.buffer, view.byteOffset, view.byteLength, writing);
}

function writeBytes(buffer: ArrayBufferLike, offset: number, length: number, writing: Writing): string {
  const refusal = whyNotKept(buffer);
  if (refusal !== undefined) throw writing.unencodable(undefined, refusal);
  writing.spend(length);
  return toBase64(new Uint8Array(buffer, offset, length));
}

function whyNotKept(buffer: ArrayBufferLike): string | undefined {
  if (!(buffer instanceof ArrayBuffer)) return "shared memory";
  if (buffer.detached) return "detached ArrayBuffer";
  return buffer.resizable ? "resizable ArrayBuffer" : undefined;
}

function readBytes(form: unknown): Uint8Array<ArrayBuffer> {
  if (typeof form !== "string") throw corrupt("malformed bytes");
  return fromBase64(form);
}
