/**
 * `npm run package:image`: the container image as an OCI archive, built from nothing by buildah: Node.js, the libraries
 * that it loads, and the service, without a shell. It needs no root and no network. Two builds of one source are equal.
 */
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Architecture,
  ARCHITECTURES,
  HOME,
  options,
  PACKAGING,
  place,
  placeProgram,
  run,
  version
} from "./packageProgram.ts"

/** The user of the image, which no system uses for another. */
const USER = 10_001
const CONFIG = "/etc/vps/service.yaml"
const STATE = "/var/lib/vps"
const PORT = 8787

const ENVIRONMENT = {
  MALLOC_ARENA_MAX: "1",
  HOME: STATE,
  PATH: "/usr/bin",
  // A file, because variables would override the file that an operator mounts there.
  VPS_SERVICE_CONFIG: CONFIG
}

const NAME = `vps-service:${version}`

/** Node.js is the only client in the image. */
const PROBE =
  `fetch("http://127.0.0.1:${PORT}/readyz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`

const SECOND = 1_000_000_000
const HEALTH = {
  Test: ["CMD", `${HOME}/bin/node`, "-e", PROBE],
  Interval: 30 * SECOND,
  Timeout: 5 * SECOND,
  StartPeriod: 10 * SECOND,
  Retries: 3
}

/** The libraries that a program loads are those of this computer, so it must have the architecture. */
const placeLibraries = (root: string, program: string): void => {
  for (const [, path = ""] of run("ldd", [program]).matchAll(/(\/\S+)/g)) {
    if (path !== program) place(realpathSync(path), join(root, path), 0o755)
  }
}

const makeRoot = (root: string, architecture: Architecture): void => {
  placeProgram(root, architecture)
  placeLibraries(root, join(root, HOME, "bin/node"))
  mkdirSync(join(root, "tmp"))
  chmodSync(join(root, "tmp"), 0o1777)
  place(join(PACKAGING, "container/service.yaml"), join(root, CONFIG))
  writeFileSync(join(root, "etc/passwd"), `vps:x:${USER}:${USER}:vps-service:${STATE}:/usr/bin/vps-service\n`)
  writeFileSync(join(root, "etc/group"), `vps:x:${USER}:\n`)
}

interface Descriptor {
  readonly digest: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** Replaces a JSON file of an image by a changed one. Files are named by their digest. */
const replaceBlob = (folder: string, old: Descriptor, change: (content: object) => object): object => {
  const path = (digest: string) => join(folder, "blobs", digest.replace(":", "/"))
  const text = JSON.stringify(change(JSON.parse(readFileSync(path(old.digest), "utf8")) as object))
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`
  rmSync(path(old.digest))
  writeFileSync(path(digest), text)
  return { ...old, digest, size: text.length }
}

/**
 * Adds what buildah cannot write in OCI's format: the health check, as Docker's image specification extends it, and the
 * name under which `docker load` stores the image.
 */
const extend = (folder: string): void => {
  const path = join(folder, "index.json")
  const index = JSON.parse(readFileSync(path, "utf8")) as { readonly manifests: readonly [Descriptor] }
  const manifest = replaceBlob(folder, index.manifests[0], (content) => {
    const { config } = content as { readonly config: Descriptor }
    const changed = replaceBlob(folder, config, (image) => {
      const { config: settings } = image as { readonly config: object }
      return { ...image, config: { ...settings, Healthcheck: HEALTH } }
    })
    return { ...content, config: changed }
  })
  const annotations = { ...index.manifests[0].annotations, "io.containerd.image.name": `docker.io/library/${NAME}` }
  writeFileSync(path, JSON.stringify({ ...index, manifests: [{ ...manifest, annotations }] }))
}

const buildah = (...args: ReadonlyArray<string>): string => run("buildah", args)

const commit = (root: string, empty: string, folder: string): void => {
  const container = buildah("from", "--quiet", "scratch")
  try {
    buildah("copy", "--quiet", "--chown", "0:0", container, root, "/")
    buildah("copy", "--quiet", "--chown", `${USER}:${USER}`, container, empty, STATE)
    const settings = {
      user: `${USER}:${USER}`,
      workingdir: STATE,
      volume: STATE,
      port: `${PORT}/tcp`,
      entrypoint: JSON.stringify(["/usr/bin/vps-service"]),
      cmd: "",
      "stop-signal": "SIGTERM"
    }
    const labels = { title: "vps-service", version, licenses: "Apache-2.0" }
    const flags = [
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
      ...Object.entries(ENVIRONMENT).map(([name, value]) => `--env=${name}=${value}`),
      ...Object.entries(labels).map(([name, value]) => `--label=org.opencontainers.image.${name}=${value}`)
    ]
    buildah("config", ...flags, container)
    const options = ["--quiet", "--format", "oci", "--disable-compression=false", "--timestamp", "0"]
    buildah("commit", ...options, container, `oci:${folder}:${NAME}`)
  } finally {
    buildah("rm", container)
  }
}

const build = (architecture: Architecture, out: string, temporary: string): string => {
  const [root, image, empty] = [join(temporary, "root"), join(temporary, "image"), join(temporary, "empty")]
  mkdirSync(root)
  mkdirSync(empty)
  makeRoot(root, architecture)
  commit(root, empty, image)
  extend(image)
  const file = join(out, `vps-service-${version}-${architecture}.oci.tar`)
  const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=a+r,u+w,go-w"]
  run("tar", [...same, "-cf", file, "-C", image, "."])
  return file
}

const { architecture, out } = options()
if (ARCHITECTURES[architecture] !== process.arch) {
  throw new Error(`The image takes the libraries of this computer: build it for ${architecture} on such a computer.`)
}
const temporary = mkdtempSync(join(tmpdir(), "vps-image-"))
try {
  console.log(build(architecture, out, temporary))
} finally {
  rmSync(temporary, { recursive: true })
}
