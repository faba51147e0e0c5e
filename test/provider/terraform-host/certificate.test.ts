import { spawnSync } from "node:child_process"
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { connect, createServer, type TLSSocket } from "node:tls"
import { selfSigned, toPem } from "#provider/terraform-host/Certificate"
import { assert, describe, it } from "vitest"

describe("a self-signed certificate", () => {
  const own = selfSigned(Date.now())

  it("is valid for localhost, as server and client, and signs itself", () => {
    const certificate = new X509Certificate(own.der)
    assert.isTrue(certificate.verify(certificate.publicKey))
    assert.isTrue(certificate.ca)
    assert.strictEqual(certificate.checkHost("localhost"), "localhost")
    assert.deepStrictEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"])
    assert.isBelow(certificate.validFromDate.getTime(), Date.now())
    assert.approximately(certificate.validToDate.getTime(), Date.now() + 365 * 86_400_000, 60_000)
    assert.strictEqual(toPem(own.der), own.certificate)
    assert.notStrictEqual(new X509Certificate(selfSigned(Date.now()).der).serialNumber, certificate.serialNumber)
  })

  it.skipIf(spawnSync("openssl", ["version"]).status !== 0)("is accepted by OpenSSL as its own authority", () => {
    const { status, stdout, stderr } = spawnSync("openssl", ["x509", "-noout", "-text"], {
      input: own.certificate,
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
    assert.match(stdout, /X509v3 Key Usage: critical\s+Digital Signature, Key Encipherment, Certificate Sign\n/)
  })

  it("authenticates both sides of a connection, and no other certificate does", async () => {
    const client = selfSigned(Date.now())
    let greeted = 0
    const server = createServer({
      cert: own.certificate,
      key: own.key,
      ca: client.certificate,
      requestCert: true,
      rejectUnauthorized: true
    }, (socket) => {
      greeted++
      socket.end("hello")
    })
    server.listen(0)
    await once(server, "listening")
    const { port } = server.address() as { port: number }
    const open = (cert: typeof own): TLSSocket =>
      connect({ port, host: "localhost", ca: own.certificate, cert: cert.certificate, key: cert.key })
    try {
      const [text] = await once(open(client), "data") as [Buffer]
      assert.strictEqual(text.toString(), "hello")
      // The client gets an alert, or the end of the connection.
      open(selfSigned(Date.now())).on("error", () => undefined)
      await once(server, "tlsClientError")
      assert.strictEqual(greeted, 1)
    } finally {
      server.close()
    }
  })
})
