import grpcProvider from "@pulumi/pulumi/proto/provider_pb.js"
import { codec } from "#provider/terraform-host/Protobuf"
import { assert, describe, it } from "vitest"

/** Messages of Pulumi's protocol, whose generated classes are another implementation of the format. */
const TABLES = {
  CheckFailure: { property: [1, "string"], reason: [2, "string"] },
  DiffResponse: {
    replaces: [1, ["string"]],
    stables: [2, ["string"]],
    deleteBeforeReplace: [3, "bool"],
    changes: [4, "int"],
    diffs: [5, ["string"]],
    detailedDiff: [6, { map: "PropertyDiff" }]
  },
  PropertyDiff: { kind: [1, "int"], inputDiff: [2, "bool"] },
  GetSchemaRequest: { version: [1, "int"] }
} as const

const { decode, encode } = codec(TABLES)

const message = {
  replaces: ["os", "größe"],
  deleteBeforeReplace: true,
  changes: 2,
  diffs: ["x".repeat(300)],
  detailedDiff: { os: { kind: 5, inputDiff: true }, "a[0].b": { kind: 1 } }
}

const generated = () => {
  const answer = new grpcProvider.DiffResponse()
  answer.setReplacesList([...message.replaces])
  answer.setDeletebeforereplace(true)
  answer.setChanges(2)
  answer.setDiffsList([...message.diffs])
  for (
    const [path, { kind, inputDiff = false }] of Object.entries<{ kind: number; inputDiff?: boolean }>(
      message.detailedDiff
    )
  ) {
    const difference = new grpcProvider.PropertyDiff()
    difference.setKind(kind as 1)
    difference.setInputdiff(inputDiff)
    answer.getDetaileddiffMap().set(path, difference)
  }
  return answer
}

describe("protocol buffers", () => {
  it("are read as generated classes write them", () => {
    assert.deepStrictEqual(decode("DiffResponse", generated().serializeBinary()), message)
  })

  it("are written as generated classes read them", () => {
    const read = grpcProvider.DiffResponse.deserializeBinary(encode("DiffResponse", message))
    assert.deepStrictEqual(read.toObject(), generated().toObject())
  })

  it.each([0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER])("keep the number %d", (version) => {
    assert.deepStrictEqual(decode("GetSchemaRequest", encode("GetSchemaRequest", { version })), { version })
  })

  it("skip the fields that the table does not have", () => {
    const narrow = codec({ DiffResponse: { changes: [4, "int"] } } as const)
    assert.deepStrictEqual(narrow.decode("DiffResponse", encode("DiffResponse", message)), { changes: 2 })
  })

  it("may leave out the value of an entry of a map, which then has its default", () => {
    const bytes = Buffer.from([0x32, 0x04, 0x0a, 0x02, 0x6f, 0x73])
    assert.deepStrictEqual(decode("DiffResponse", bytes), { detailedDiff: { os: {} } })
  })

  it("have an error for bytes that are not a message, and for numbers that have no encoding", () => {
    const bytes = encode("DiffResponse", message)
    assert.throws(() => decode("DiffResponse", bytes.subarray(0, -1)), /truncated/)
    assert.throws(() => decode("DiffResponse", Buffer.from([0x0b])), /wire type 3/)
    assert.throws(() => decode("CheckFailure", Buffer.from([0x08, 0x01])), /expected bytes/)
    assert.throws(() => decode("PropertyDiff", Buffer.from([0x0a, 0x00])), /expected a number/)
    assert.throws(() => encode("PropertyDiff", { kind: -1 }), /-1 is not an integer/)
  })
})
