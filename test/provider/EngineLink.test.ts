import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { describe, expect, it } from "vitest"
import { engineIsThere } from "#provider/EngineLink"

describe("the link to the engine", () => {
  it("sees that it is there, and that it is gone", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await engineIsThere(address)).toBe(true)
    server.close()
    await once(server, "close")
    expect(await engineIsThere(address)).toBe(false)
  })
  it.each([undefined, "", "--flag", "x"])("takes %s for no address: then nothing can be said", async (address) => {
    expect(await engineIsThere(address)).toBe(true)
  })
})
