import { UNKNOWN } from "#provider/definition/Properties"
import { decode, encode } from "#provider/terraform-host/MessagePack"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex")

describe("MessagePack", () => {
  // The examples of the specification, in each of its encodings.
  it.each<readonly [string, unknown]>([
    ["c0", null],
    ["c2", false],
    ["c3", true],
    ["07", 7],
    ["ff", -1],
    ["e0", -32],
    ["cc ff", 255],
    ["cd ffff", 65_535],
    ["ce ffffffff", 4_294_967_295],
    ["cf 0000000100000000", 4_294_967_296],
    ["d0 80", -128],
    ["d1 8000", -32_768],
    ["d2 80000000", -2_147_483_648],
    ["d3 ffffffff00000000", -4_294_967_296],
    ["ca 3fc00000", 1.5],
    ["cb 3ff8000000000000", 1.5],
    ["a3 616263", "abc"],
    ["d9 03 616263", "abc"],
    ["da 0003 616263", "abc"],
    ["db 00000003 616263", "abc"],
    ["92 01 c3", [1, true]],
    ["dc 0002 01 c3", [1, true]],
    ["dd 00000002 01 c3", [1, true]],
    ["81 a1 61 01", { a: 1 }],
    ["de 0001 a1 61 01", { a: 1 }],
    ["df 00000001 a1 61 01", { a: 1 }]
  ])("reads %s", (bytes, value) => {
    assert.deepStrictEqual(decode(hex(bytes)), value)
  })

  it.each(["d4 00 00", "d5 0c 0000", "d6 0c 00000000", "c7 03 0c 810102", "c8 0001 0c 00"])(
    "reads the extension %s as an unknown value",
    (bytes) => {
      assert.deepStrictEqual(decode(Buffer.concat([hex("92"), hex(bytes), hex("01")])), [UNKNOWN, 1])
    }
  )

  it("keeps every JSON value, with decimals as text", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(
        value,
        (_, one: unknown) => typeof one === "number" && !Number.isSafeInteger(one) ? String(one) : one
      )
      assert.strictEqual(JSON.stringify(decode(encode(value))), text)
    }))
    assert.deepStrictEqual(decode(encode({ a: UNKNOWN, price: 4.99, none: undefined })), {
      a: UNKNOWN,
      price: "4.99",
      none: null
    })
  })

  it("has an error for bytes that are not one value", () => {
    assert.throws(() => decode(hex("db 00000009 6162")), /truncated/)
    assert.throws(() => decode(hex("")), /truncated/)
    assert.throws(() => decode(hex("c1")), /193 begins no value/)
    assert.throws(() => decode(hex("01 02")), /bytes follow/)
    assert.throws(() => encode(Number.NaN), /NaN is not a finite number/)
  })
})
