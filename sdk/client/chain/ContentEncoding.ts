/** Reads a body that a proxy has compressed unasked: no request says that it accepts that. */
import type * as Zlib from "node:zlib"
import { RESPONSE_MAX_BYTES } from "../options/Limits.ts"

type Decompress = (zlib: typeof Zlib, body: Uint8Array) => Buffer

/** A small body may be large when it is decompressed. */
const LIMIT = { maxOutputLength: RESPONSE_MAX_BYTES }

const DECOMPRESS: Readonly<Record<string, Decompress>> = {
  gzip: (zlib, body) => zlib.gunzipSync(body, LIMIT),
  "x-gzip": (zlib, body) => zlib.gunzipSync(body, LIMIT),
  deflate: (zlib, body) => zlib.inflateSync(body, LIMIT),
  br: (zlib, body) => zlib.brotliDecompressSync(body, LIMIT),
  // Node.js has it since 22.15.
  zstd: (zlib, body) => zlib.zstdDecompressSync(body, LIMIT)
}

/** `undefined`: the encoding is not one of those above, or the body is damaged. `too large`: beyond the limit. */
export const decompress = (body: Buffer, header: string): Buffer | "too large" | undefined => {
  const encodings = header.toLowerCase().split(",").map((one) => one.trim()).filter((one) =>
    one !== "" && one !== "identity"
  )
  try {
    // Loaded only for such a response.
    const zlib = encodings.length === 0 ? undefined : process.getBuiltinModule("node:zlib")
    // They are listed in the order in which they were applied.
    return encodings.reduceRight((text, encoding) => DECOMPRESS[encoding]!(zlib!, text), body)
  } catch (error) {
    return (error as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE" ? "too large" : undefined
  }
}
