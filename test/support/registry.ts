/** An npm registry that has the package of this tree; it redirects to the real one for all others. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Manifest } from "./consumer.ts"
import { packed, publishedManifest } from "./packed.ts"

export interface Registry {
  readonly url: string
  readonly close: () => void
}

export const startRegistry = async (): Promise<Registry> => {
  const upstream = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim()
  const tarball = readFileSync(packed().path)
  const manifest = publishedManifest<Manifest>()
  const { name } = manifest
  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    if (path === `/${name}.tgz`) return response.end(tarball)
    if (path !== `/${name}`) return response.writeHead(302, { location: new URL(path, upstream).href }).end()
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
    const version = { ...manifest, dist: { tarball: `${url}/${name}.tgz`, integrity } }
    const document = {
      name,
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: version }
    }
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => server.close() }
}
