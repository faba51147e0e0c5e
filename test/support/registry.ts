/** An npm registry that has the packages of this tree; it redirects to the real one for all others. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type Folder, FOLDERS } from "../../.config/build/workspace.ts"
import { packed, publishedManifest } from "./packed.ts"

export interface Registry {
  readonly url: string
  readonly close: () => void
}

interface Document {
  readonly tarball: Buffer
  readonly text: string
}

const documentOf = (folder: Folder, url: string): readonly [name: string, Document] => {
  const tarball = readFileSync(packed(folder).path)
  const manifest = publishedManifest(folder)
  const { name } = manifest
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
  const version = { ...manifest, dist: { tarball: `${url}/${name}.tgz`, integrity } }
  const document = { name, "dist-tags": { latest: manifest.version }, versions: { [manifest.version]: version } }
  return [name, { tarball, text: JSON.stringify(document) }]
}

export const startRegistry = async (): Promise<Registry> => {
  const upstream = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1)
    const own = documents.get(path.replace(/\.tgz$/, ""))
    if (own === undefined) {
      return response.writeHead(302, { location: new URL(request.url ?? "/", upstream).href }).end()
    }
    if (path.endsWith(".tgz")) return response.end(own.tarball)
    return response.writeHead(200, { "content-type": "application/json" }).end(own.text)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const documents = new Map(FOLDERS.map((folder) => documentOf(folder, url)))
  return { url, close: () => server.close() }
}
