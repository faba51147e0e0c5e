/** The agents of undici, in a module of its own: it is loaded with the first request. */
import { BlockList, isIP, type Socket } from "node:net"
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from "undici"
import { CONNECT_TIMEOUT_MS, CONNECTIONS_MAX, KEEP_ALIVE_MS } from "../options/Limits.ts"

// The proxy that the environment names, by the rules of Go's clients: localhost is never reached through one, and
// NO_PROXY has hosts, domains, ports and networks.

type Env = Readonly<Record<string, string | undefined>>

interface Target {
  readonly host: string
  readonly port: string
}

const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" }
const SCHEMES = new Set(["http:", "https:"])

/** The URL of the proxy for an origin. `undefined`: connect directly. */
export const proxyOf = (origin: string, env: Env): string | undefined => {
  const { hostname, port, protocol } = new URL(origin)
  // The variable of Node.js switches its own clients on; here, only an explicit "off" is news.
  if (env["NODE_USE_ENV_PROXY"] === "0") return undefined
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"
  const proxy = variable(env, name)
  if (proxy === undefined) return undefined
  const target = { host: bare(hostname).replace(/\.$/, "").toLowerCase(), port: port || (PORTS[protocol] ?? "") }
  if (isLoopback(target.host)) return undefined
  const excluded = (variable(env, "NO_PROXY") ?? "").split(",").map((entry) => entry.trim().toLowerCase())
  if (excluded.some((entry) => entry !== "" && excludes(entry, target))) return undefined
  return checked(name, proxy)
}

const variable = (env: Env, name: string): string | undefined =>
  // In a CGI program, HTTP_PROXY is the header "Proxy" of a stranger's request.
  (name === "HTTP_PROXY" && env["REQUEST_METHOD"] !== undefined ? undefined : env[name]) || env[name.toLowerCase()]
  || undefined

/** The message does not contain the value: it may have a password. */
const checked = (name: string, proxy: string): string => {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
  const url = URL.parse(text)
  if (url === null || !SCHEMES.has(url.protocol)) {
    throw new Error(`${name} must be the URL of an HTTP proxy, for example http://proxy.example.com:3128`)
  }
  return text
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, "")

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4")
LOOPBACK.addAddress("::1", "ipv6")

const contains = (list: BlockList, host: string): boolean =>
  isIP(host) !== 0 && list.check(host, isIP(host) === 6 ? "ipv6" : "ipv4")

const isLoopback = (host: string): boolean => host === "localhost" || contains(LOOPBACK, host)

const excludes = (entry: string, { host, port }: Target): boolean => {
  if (entry === "*") return true
  if (entry.includes("/")) return contains(networkOf(entry), host)
  const [, name = entry, only] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? []
  if (only !== undefined && only !== port) return false
  const plain = bare(name)
  if (isIP(plain) !== 0 || isIP(host) !== 0) return sameAddress(plain, host)
  // `*.example.com` and `.example.com` are the subdomains only; `example.com` is both.
  if (/^\*?\./.test(plain)) return host.endsWith(plain.replace(/^\*/, ""))
  return host === plain || host.endsWith(`.${plain}`)
}

/** An address has several spellings: `2001:db8::1` and `2001:DB8:0::1`. */
const sameAddress = (one: string, other: string): boolean => {
  if (isIP(one) === 0 || isIP(other) === 0) return false
  const list = new BlockList()
  list.addAddress(one, isIP(one) === 6 ? "ipv6" : "ipv4")
  return contains(list, other)
}

/** Empty if it is not a network: as in Go, a malformed entry excludes nothing. */
const networkOf = (entry: string): BlockList => {
  const list = new BlockList()
  const [network = "", length = ""] = entry.split("/")
  const family = isIP(network)
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.POSITIVE_INFINITY
  if (family !== 0 && bits <= (family === 6 ? 128 : 32)) list.addSubnet(network, bits, family === 6 ? "ipv6" : "ipv4")
  return list
}

/** undici adds the state of the connection to its own errors, but not to those of the operating system. */
const addState = (socket: Socket): void =>
  void socket.prependListener("error", (error: Error) => {
    if (!("socket" in error)) Object.assign(error, { socket: { bytesRead: socket.bytesRead } })
  })

const withState = (connect: buildConnector.connector): buildConnector.connector => (options, callback) =>
  connect(options, (...result) => {
    if (result[0] === null) addState(result[1])
    callback(...result)
  })

const LIMITS = {
  connections: CONNECTIONS_MAX,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // One request per connection: a broken connection loses exactly one response.
  pipelining: 1,
  allowH2: false
}

/** A client has one origin, so the proxy is chosen once: calls without one cost nothing. */
export const makeAgent = (origin: string, env: Readonly<Record<string, string | undefined>>): Dispatcher => {
  const proxy = proxyOf(origin, env)
  return proxy === undefined ? directAgent() : proxyAgent(proxy)
}

const directAgent = (): Dispatcher => {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false })
  return new Agent({ ...LIMITS, connect: withState(connect) })
}

const proxyAgent = (uri: string): Dispatcher =>
  new ProxyAgent({
    ...LIMITS,
    uri,
    connectTimeout: CONNECT_TIMEOUT_MS,
    proxyTls: { allowH2: false },
    clientFactory: (proxy, options) => new Pool(proxy, { ...options, allowH2: false }),
    // The agent does not pass the limits on when it forwards plain HTTP.
    factory: (target, options) => {
      const { connect } = options as { readonly connect: buildConnector.connector }
      return new Pool(target, { ...options, ...LIMITS, connect: withState(connect) })
    }
  } as ProxyAgent.Options)
