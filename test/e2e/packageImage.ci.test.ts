/** `npm run package:image`: its content, and a container of it. Needs root, buildah and runc. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { VERSION } from "#contract/Version"
import { ROOT } from "../support/consumer.ts"
import { startContainer, unpack } from "../support/container.ts"
import { FAILURE, FIRST_COMMANDS, type Installed, installedFrom, testInstalled } from "../support/installed.ts"
import { mailServer } from "../support/mailServer.ts"
import { freePort } from "../support/port.ts"
import { rejection } from "../support/rejection.ts"
import { assertLike } from "../support/like.ts"

const USER = 10_001

/** Ends a service that replaces itself, because Node.js was started without its flags. */
const STARTS_ONCE = "--import=data:text/javascript,process.execve=()=>process.exit(9)"
const MEGABYTE = 1_000_000
const folder = mkdtempSync(join(tmpdir(), "vps-image-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isInstalled = (command: string) => spawnSync(command, ["--version"]).status === 0
const canRun = process.getuid?.() === 0 && isInstalled("buildah") && isInstalled("runc")

const NOBODY = 65_534

/** Builds the image, also as a user without any privilege, for whom only this mount namespace has subordinate IDs. */
const build = (name: string, rootless: boolean): Buffer => {
  const out = join(folder, name)
  mkdirSync(out)
  const command = `'${process.execPath}' .config/packageImage.ts --out '${out}'`
  const asNobody = `
    chown ${NOBODY}:${NOBODY} '${out}'
    echo ${NOBODY}:200000:65536 > '${folder}/ids'
    mount --bind '${folder}/ids' /etc/subuid && mount --bind '${folder}/ids' /etc/subgid
    exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups \
      env HOME='${out}' XDG_RUNTIME_DIR='${out}' TMPDIR='${out}' STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot ${command}`
  const [program, ...args] = rootless ? ["unshare", "--mount", "sh", "-c", asNobody] : ["sh", "-c", command]
  const { status, stderr } = spawnSync(program!, args, { cwd: ROOT, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return readFileSync(join(out, `vps-service-${VERSION}-amd64.oci.tar`))
}

const BUSYBOX = "/bin/busybox"

const buildah = (...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync("buildah", args, { cwd: ROOT, encoding: "utf8" })
  if (status !== 0) throw new Error(`buildah ${args.join(" ")}: ${stderr}`)
  return stdout.trim()
}

/** Builds the Containerfile on a base of Node.js and a shell, because Docker's `node` cannot be pulled here. */
const buildContainerfile = (root: string, archive: string): void => {
  const base = join(folder, "base")
  const bin = join(base, "usr/bin")
  mkdirSync(bin, { recursive: true })
  for (const libraries of ["lib", "lib64"]) cpSync(join(root, libraries), join(base, libraries), { recursive: true })
  cpSync(join(root, "usr/lib/vps-service/bin/node"), join(bin, "node"))
  cpSync(BUSYBOX, join(bin, "busybox"))
  for (const applet of ["sh", "mkdir", "chown", "chmod"]) symlinkSync("busybox", join(bin, applet))
  symlinkSync("usr/bin", join(base, "bin"))
  const [name, container] = [`localhost/vps-test-${process.pid}`, buildah("from", "--quiet", "scratch")]
  try {
    buildah("copy", "--quiet", container, base, "/")
    buildah("config", "--env=PATH=/usr/bin", container)
    buildah("commit", "--quiet", container, name)
    const file = ["--file", "service/packaging/container/Containerfile"]
    const ignore = ["--ignorefile", "service/packaging/container/Containerfile.dockerignore"]
    buildah(
      "build",
      "--quiet",
      "--isolation=chroot",
      `--build-arg=BASE=${name}`,
      ...file,
      ...ignore,
      "--tag",
      `${name}-2`,
      "service"
    )
    buildah("push", "--quiet", `${name}-2`, `oci-archive:${archive}`)
  } finally {
    spawnSync("buildah", ["rm", container])
    spawnSync("buildah", ["rmi", name, `${name}-2`])
  }
}

describe.skipIf(!canRun)("the image", () => {
  let unpacked: ReturnType<typeof unpack>
  beforeAll(() => {
    // mkdtemp's folder is the owner's only, and the container has another user.
    spawnSync("chmod", ["755", folder])
    build("one", false)
    unpacked = unpack(join(folder, `one/vps-service-${VERSION}-amd64.oci.tar`), join(folder, "bundle"))
  })

  it("is the same when it is built again, by a user without privileges", () => {
    const [first] = readdirSync(join(folder, "one"))
    assert.isTrue(build("two", true).equals(readFileSync(join(folder, "one", first!))))
  })

  it("has at most 50 MB compressed, one volume, and a user of its own", () => {
    assert.isBelow(unpacked.layers.reduce((sum, { size }) => sum + size, 0), 50 * MEGABYTE)
    assertLike(unpacked.image.config, {
      User: `${USER}:${USER}`,
      Entrypoint: ["/usr/bin/vps-service"],
      Volumes: { "/var/lib/vps": {} }
    })
    assert.strictEqual(statSync(join(unpacked.root, "var/lib/vps")).uid, USER)
    assert.deepStrictEqual(readdirSync(join(unpacked.root, "usr/bin")), ["vps-service"])
  })

  it("starts Node.js once on a read-only root, keeps its state in the volume, and stops on SIGTERM", async () => {
    const port = await freePort()
    const settings = {
      VPS_SERVICE_DRIVER: "simulated",
      VPS_SERVICE_PORT: String(port),
      VPS_SERVICE_REQUEST_LOG: "false"
    }
    const env = { ...settings, NODE_OPTIONS: STARTS_ONCE }
    const run = { folder: join(folder, "bundle"), name: `vps-test-${process.pid}`, env }
    const first = await startContainer(unpacked, run)
    try {
      const readyz = `http://127.0.0.1:${port}/readyz`
      assert.strictEqual((await fetch(readyz)).status, 200)
      const created = first.exec("vps-service", "admin", "accounts", "create", "--email", "a@example.com")
      assertLike(created, { status: 0, stderr: "" })
      const whoami = "console.log(process.getuid(), require('fs').readFileSync('/proc/1/status', 'utf8'))"
      const status = first.exec("/usr/lib/vps-service/bin/node", "-e", whoami).stdout
      assert.match(status, new RegExp(`^${USER} `))
      assert.match(status, /^CapEff:\s+0+$/m)
      const write = "require('fs').writeFileSync('/usr/x', '')"
      assert.include(first.exec("/usr/lib/vps-service/bin/node", "-e", write).stderr, "EROFS")
      const [kind, ...probe] = unpacked.image.config.Healthcheck.Test
      assert.strictEqual(kind, "CMD")
      const here = probe.map((argument) => argument.replace(":8787/", `:${port}/`))
      assert.strictEqual(first.exec(...here).status, 0)
      assert.strictEqual(first.exec(...probe).status, 1)
    } finally {
      assert.strictEqual(await first.end(), 0)
    }
    const second = await startContainer(unpacked, run)
    try {
      assert.include(second.exec("vps-service", "admin", "accounts", "list").stdout, "a@example.com")
    } finally {
      assert.strictEqual(await second.end(), 0)
    }
    const emulator = startContainer(unpacked, { ...run, env: { ...env, VPS_EMULATOR: "1" } })
    assert.include(
      (await rejection(emulator)).message,
      "VPS_EMULATOR is set, but /var/lib/vps/vps-service.db is the database of a"
    )
  })

  it("is an emulator with VPS_EMULATOR=1, and has no data in its volume", async () => {
    const port = await freePort()
    const own = join(folder, "emulator")
    mkdirSync(own)
    const env = { VPS_EMULATOR: "1", VPS_SERVICE_PORT: String(port) }
    const emulator = await startContainer(unpacked, { folder: own, name: `vps-emulator-${process.pid}`, env })
    try {
      const api = `http://127.0.0.1:${port}/api/v1`
      const headers = { authorization: `Bearer ${emulator.ready.api_key}` }
      assert.strictEqual((await fetch(`${api}/whoami`, { headers })).status, 200)
      assert.strictEqual((await fetch(`http://127.0.0.1:${port}/_emulator/clock`)).status, 200)
    } finally {
      assert.strictEqual(await emulator.end(), 0)
    }
    // Node.js caches compiled code there.
    assert.deepStrictEqual(readdirSync(join(own, "state")), [".cache"])
  })

  describe("with a first account", () => {
    const scope = Scope.makeUnsafe()
    let container: Awaited<ReturnType<typeof startContainer>>
    let installed: Installed
    beforeAll(async () => {
      const { url } = await Effect.runPromise(Effect.provideService(mailServer(), Scope.Scope, scope))
      const port = await freePort()
      const env = {
        VPS_SERVICE_DRIVER: "simulated",
        VPS_SERVICE_PORT: String(port),
        VPS_SERVICE_SMTP_URL: url,
        VPS_SERVICE_MAIL_FROM: "host@example.com"
      }
      const own = join(folder, "first")
      mkdirSync(own)
      container = await startContainer(unpacked, { folder: own, name: `vps-first-${process.pid}`, env })
      const admin = (input: string, ...args: ReadonlyArray<string>) =>
        container.execWith(input, "vps-service", "admin", ...args)
      const example = await admin("", "catalogue", "example")
      const results = new Map<string, string>()
      for (const [name, ...args] of FIRST_COMMANDS) results.set(name, await admin(example, ...args, "-o", "json"))
      installed = installedFrom(`http://localhost:${port}`, (name) => results.get(name)!)
    })
    afterAll(async () => {
      assert.strictEqual(await container?.end(), 0)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })

    testInstalled(() => installed)

    it("logs no failure", () => assert.notMatch(container.log(), FAILURE))
  })

  it.skipIf(!existsSync(BUSYBOX))("of the Containerfile runs with the same settings", async () => {
    const archive = join(folder, "other.tar")
    buildContainerfile(unpacked.root, archive)
    const other = unpack(archive, join(folder, "other"))
    const same = ["User", "Entrypoint", "Volumes", "WorkingDir", "ExposedPorts"] as const
    for (const name of same) assert.deepStrictEqual(other.image.config[name], unpacked.image.config[name])
    const port = String(await freePort())
    const settings = { VPS_SERVICE_DRIVER: "simulated", VPS_SERVICE_PORT: port, VPS_SERVICE_REQUEST_LOG: "false" }
    const env = { ...settings, NODE_OPTIONS: STARTS_ONCE }
    const running = await startContainer(other, {
      folder: join(folder, "other"),
      name: `vps-other-${process.pid}`,
      env
    })
    try {
      assert.strictEqual((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
    } finally {
      assert.strictEqual(await running.end(), 0)
    }
  })
})
