/**
 * `npm run package:deb`: a Debian package with Node.js inside. It installs the service, its unit, user, config file and
 * state directory. `--arch arm64` builds for another architecture, `--out FOLDER` elsewhere. Two builds of one source
 * are equal.
 */
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Architecture,
  description,
  options,
  PACKAGING,
  place,
  placeProgram,
  ROOT,
  run,
  version
} from "./packageProgram.ts"

const CONFIG = "/etc/vps/service.yaml"
/** Not with the guides: many containers install no documents. */
const MONITORING = "/usr/share/vps-service/monitoring"
const SYSTEM = "usr/lib/systemd/system/vps-service.service"

/** The libraries that Node.js loads, and the programs that the package's scripts run. */
const DEPENDS = "libc6 (>= 2.28), libstdc++6 (>= 8), systemd (>= 247)"

const KIBIBYTE = 1024

const control = (architecture: Architecture, root: string): string => {
  const files = globSync("**/*", { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile())
  const size = run("du", ["-sb", root]).split("\t")[0]
  return `Package: vps-service
Version: ${version}
Architecture: ${architecture}
Maintainer: The authors of pulumi-vps <root@localhost>
Installed-Size: ${Math.ceil(Number(size) / KIBIBYTE) + files.length}
Depends: ${DEPENDS}
Section: net
Priority: optional
Description: ${description.split(",")[0]}
 The service with its own Node.js, a systemd unit, and a config file in ${CONFIG}.
`
}

/** Those for the operators of an installed service. */
const GUIDES = ["running", "real-instances", "operating", "admin", "panel", "scaling", "emulator"]

/** Links of the guides to files of the repository, and the installed files. */
const INSTALLED: ReadonlyArray<readonly [link: string, path: string]> = [
  ["../service/packaging/monitoring/", `${MONITORING}/`],
  ["../service/packaging/systemd/vps-service.service", `/${SYSTEM}`]
]

const LINK = /!?\[([^\]]*)\]\(([^)#]*)(#[^)]*)?\)/g

/** A guide with links to installed files. Of a link to any other, the text remains; pictures are not installed. */
const withInstalledLinks = (guide: string): string =>
  guide.replaceAll(LINK, (whole, text: string, target: string, anchor = "") => {
    if (whole.startsWith("!")) return ""
    const found = INSTALLED.find(([link]) => target.startsWith(link))
    if (found !== undefined) return `[${text}](${found[1]}${target.slice(found[0].length)}${anchor})`
    const isInstalled = target === "" || target.includes("://") || GUIDES.includes(target.replace(/\.md$/, ""))
    return isInstalled ? whole : text
  })

/** The guides, and the files that they name for Prometheus and Grafana. */
const placeDocuments = (root: string): void => {
  const documents = join(root, "usr/share/doc/vps-service")
  place(join(ROOT, "LICENSE"), join(documents, "copyright"))
  for (const guide of GUIDES) {
    const path = join(documents, `${guide}.md`)
    place(join(ROOT, `docs/${guide}.md`), path)
    writeFileSync(path, withInstalledLinks(readFileSync(path, "utf8")))
  }
  for (const file of readdirSync(join(PACKAGING, "monitoring"))) {
    place(join(PACKAGING, "monitoring", file), join(root, MONITORING, file))
  }
}

const build = (architecture: Architecture, out: string): string => {
  const root = mkdtempSync(join(tmpdir(), "vps-deb-"))
  try {
    chmodSync(root, 0o755)
    placeProgram(root, architecture)
    place(join(PACKAGING, "systemd/vps-service.service"), join(root, SYSTEM))
    place(join(PACKAGING, "systemd/sysusers.conf"), join(root, "usr/lib/sysusers.d/vps-service.conf"))
    place(join(PACKAGING, "systemd/tmpfiles.conf"), join(root, "usr/lib/tmpfiles.d/vps-service.conf"))
    place(join(PACKAGING, "service.yaml"), join(root, CONFIG))
    placeDocuments(root)
    const scripts = ["postinst", "prerm", "postrm"]
    const text = control(architecture, root)
    mkdirSync(join(root, "DEBIAN"))
    writeFileSync(join(root, "DEBIAN/control"), text)
    writeFileSync(join(root, "DEBIAN/conffiles"), `${CONFIG}\n`)
    for (const script of scripts) place(join(PACKAGING, "debian", script), join(root, "DEBIAN", script), 0o755)
    const file = join(out, `vps-service_${version}_${architecture}.deb`)
    // A higher level of compression takes minutes for 5 %.
    run("dpkg-deb", ["--root-owner-group", "-Zxz", "-z1", "--build", root, file], { SOURCE_DATE_EPOCH: "0" })
    return file
  } finally {
    rmSync(root, { recursive: true })
  }
}

const { architecture, out } = options()
console.log(build(architecture, out))
