/**
 * Run as a program with the addresses of modules: loads them and prints what they gave to `new RegExp`, as JSON. An
 * expression that is put together shows only then what it is.
 */
const made: Array<{ readonly source: string; readonly flags: string }> = []

globalThis.RegExp = new Proxy(RegExp, {
  construct: (target, given: [string, string?]) => {
    const expression = new target(...given)
    // Ignores expressions of libraries, identified by the caller.
    const caller = new Error().stack?.split("\n")[2] ?? ""
    if (!caller.includes("/node_modules/")) made.push({ source: expression.source, flags: expression.flags })
    return expression
  }
})

for (const address of process.argv.slice(2)) await import(address)
process.stdout.write(JSON.stringify(made))
