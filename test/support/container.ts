/** Runs an OCI archive as a container with runc, as Docker would: own user, read-only root, no capabilities. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"

interface Image {
  readonly config: {
    readonly User: string
    readonly Env: ReadonlyArray<string>
    readonly Entrypoint: ReadonlyArray<string>
    readonly Volumes: Readonly<Record<string, object>>
    readonly ExposedPorts: Readonly<Record<string, object>>
    readonly WorkingDir: string
    readonly Healthcheck: { readonly Test: ReadonlyArray<string> }
  }
}

interface Layer {
  readonly digest: string
  readonly size: number
}

const must = (command: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(command, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`)
  return stdout
}

/** Unpacks an archive into a folder: its image, layers, and root file system. */
export const unpack = (archive: string, folder: string) => {
  const root = join(folder, "rootfs")
  mkdirSync(root, { recursive: true })
  must("tar", "-xf", archive, "-C", folder)
  const blob = (digest: string) => join(folder, "blobs", digest.replace(":", "/"))
  const json = (path: string) => JSON.parse(readFileSync(path, "utf8"))
  const [{ digest }] = json(join(folder, "index.json")).manifests
  const manifest = json(blob(digest)) as { readonly config: Layer; readonly layers: ReadonlyArray<Layer> }
  for (const layer of manifest.layers) must("tar", "-xzf", blob(layer.digest), "-C", root, "--same-owner")
  return { image: json(blob(manifest.config.digest)) as Image, digest: digest as string, layers: manifest.layers, root }
}

const bind = (source: string, destination: string) => ({
  destination,
  source,
  type: "bind",
  options: ["bind", "rw", "nosuid", "nodev"]
})

/** The runtime's configuration: what `docker run --read-only -v STATE:VOLUME` would ask for, on the host's network. */
const specOf = ({ config }: Image, root: string, state: string, env: Readonly<Record<string, string>>) => {
  const [uid = 0, gid = 0] = config.User.split(":").map(Number)
  const [volume = ""] = Object.keys(config.Volumes)
  return {
    ociVersion: "1.0.2",
    hostname: "vps",
    process: {
      user: { uid, gid },
      args: config.Entrypoint,
      env: [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: config.WorkingDir,
      capabilities: {},
      noNewPrivileges: true
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755", "size=64k"] },
      { destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "size=16m"] },
      bind(state, volume)
    ],
    linux: { namespaces: ["pid", "ipc", "uts", "mount"].map((type) => ({ type })) }
  }
}

/** Starts a container, and waits for the first line of its output. */
export const startContainer = async (
  { image, root }: Pick<ReturnType<typeof unpack>, "image" | "root">,
  { env, folder, name }: { readonly name: string; readonly folder: string; readonly env: Record<string, string> }
) => {
  const [uid = 0, gid = 0] = image.config.User.split(":").map(Number)
  const state = join(folder, "state")
  mkdirSync(state, { recursive: true })
  // Docker gives a new volume the owner of the image's folder.
  chownSync(state, uid, gid)
  writeFileSync(join(folder, "config.json"), JSON.stringify(specOf(image, root, state, env)))
  const child: ChildProcess = spawn("runc", ["run", "--bundle", folder, name], { stdio: ["ignore", "pipe", "pipe"] })
  let log = ""
  child.stderr!.on("data", (chunk) => {
    log += String(chunk)
  })
  const exited = once(child, "exit")
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout! }), "line") as Promise<[string]>,
    exited.then(() => Promise.reject(new Error(`The container ended before it was ready: ${log}`)))
  ])
  return {
    ready: JSON.parse(line) as { readonly url: string; readonly api_key: string },
    /** Its standard error so far. */
    log: () => log,
    /** Runs a program in the container, as its user. */
    exec: (...args: ReadonlyArray<string>) => spawnSync("runc", ["exec", name, ...args], { encoding: "utf8" }),
    /** Runs one to its end with this standard input, while servers of this process answer. Returns its output. */
    execWith: async (input: string, ...args: ReadonlyArray<string>): Promise<string> => {
      const program = spawn("runc", ["exec", name, ...args])
      program.stdin.end(input)
      const [output, errors, [code]] = await Promise.all([
        text(program.stdout),
        text(program.stderr),
        once(program, "close")
      ])
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`)
      return output
    },
    end: async (): Promise<number | null> => {
      if (child.exitCode !== null) return child.exitCode
      spawnSync("runc", ["kill", name, "TERM"])
      const [code] = await exited
      return code as number | null
    }
  }
}
