/** A certificate authority of a test's own, made by `openssl`, and what it signs. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Paths of PEM files. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority extends Certificate {
  /** A certificate for this common name, and these other names, like `DNS:localhost` or `IP:127.0.0.1`. */
  readonly sign: (name: string, ...others: ReadonlyArray<string>) => Certificate
  /** The same, which ended a day ago. */
  readonly signEnded: (name: string, ...others: ReadonlyArray<string>) => Certificate
  /** The same, with its key behind a passphrase. */
  readonly lock: (certificate: Certificate, passphrase: string) => Certificate
  readonly remove: () => void
}

/** True if there is an `openssl`: for `describe.skipIf`. */
export const noOpenssl = spawnSync("openssl", ["version"]).status !== 0

const openssl = (...args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
}

const DAYS = ["-days", "2"]
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

/** Makes one; its files go when it is removed. */
export const makeAuthority = (name: string): Authority => {
  const folder = mkdtempSync(join(tmpdir(), "vps-certificates-"))
  const at = (file: string) => join(folder, file)
  const own = { cert: at("ca.pem"), key: at("ca.key") }
  openssl("req", "-x509", ...NEW_KEY, ...DAYS, "-subj", `/CN=${name}`, "-keyout", own.key, "-out", own.cert)
  let signed = 0
  const signFor = (days: ReadonlyArray<string>): Authority["sign"] => (subject, ...others) => {
    const [cert, key, request, extensions] = ["pem", "key", "csr", "cnf"].map((kind) => at(`${signed}.${kind}`))
    signed++
    openssl("req", ...NEW_KEY, "-subj", `/CN=${subject}`, "-keyout", key!, "-out", request!)
    writeFileSync(extensions!, others.length === 0 ? "" : `subjectAltName = ${others.join(",")}\n`)
    const signature = ["-CA", own.cert, "-CAkey", own.key, "-CAcreateserial", "-extfile", extensions!]
    openssl("x509", "-req", "-in", request!, ...signature, ...days, "-out", cert!)
    return { cert: cert!, key: key! }
  }
  return {
    ...own,
    sign: signFor(DAYS),
    signEnded: signFor(["-days", "-1"]),
    lock: ({ cert, key }, passphrase) => {
      openssl("pkey", "-aes256", "-passout", `pass:${passphrase}`, "-in", key, "-out", `${key}.locked`)
      return { cert, key: `${key}.locked` }
    },
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}
