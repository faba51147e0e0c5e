/** The versions of Node.js that the package needs, and the checks at its entries. */

/** SDK, `vps`, provider and plugin: the first version that can `require` an ES module without a warning. */
export const CLIENTS = "22.12"

/** Service, emulator and testing kit: the first version whose SQLite is stable. */
export const SERVICE = "24.0"

/** Only uses syntax that old Node versions support. */
const isOld = (version: string): string => {
  const [major, minor] = version.split(".")
  return `process.versions.node.split(".").reduce((n,p,i)=>i<2?n*1e3+Number(p):n,0)<${major}*1e3+${minor}`
}

const shown = (version: string): string => version.replace(/\.0$/, "")

/** The beginning of a bundle that programs import. */
export const throwOnOldNode = (name: string, version: string): string =>
  `if(${isOld(version)})throw new Error(${JSON.stringify(`${name} needs Node.js ${shown(version)} or newer; this is `)}`
  + `+process.version+".");`

/** The beginning of an executable. */
export const exitOnOldNode = (name: string, version: string): string =>
  `if (${isOld(version)}) {
  process.stderr.write(
    "${name} needs Node.js ${shown(version)} or newer; this is " + process.version + " (" + process.execPath + ").\\n"
  )
  process.exit(1)
}
`
