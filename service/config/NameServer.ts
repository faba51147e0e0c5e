/** The settings of the name server that holds PTR records. */
import { domain, InvalidSetting, oneOf, type Setting, text, url } from "./Setting.ts"

export const NAME_SERVER = {
  rdns: oneOf(["powerdns"], {
    flag: "rdns",
    environment: "VPS_SERVICE_RDNS",
    fallback: undefined,
    reason:
      "The name server of PTR records. Without one, the simulated driver stores them, and the libvirt driver rejects "
      + "them."
  }),
  powerdnsUrl: url(["http", "https"], {
    flag: "powerdns-url",
    environment: "VPS_SERVICE_POWERDNS_URL",
    reason: "PowerDNS's web server, like http://127.0.0.1:8081. Required for --rdns powerdns, as are the next two."
  }),
  powerdnsKey: text({
    flag: null,
    environment: "VPS_SERVICE_POWERDNS_KEY",
    unit: "text",
    fallback: "",
    reason: "PowerDNS's api-key. It may change every zone of that server."
  }),
  rdnsDomain: domain({
    flag: "rdns-domain",
    environment: "VPS_SERVICE_RDNS_DOMAIN",
    reason: "The domain of default PTR records: 203.0.113.7 gets 203-0-113-7 in it."
  })
} as const

type NameServer = {
  readonly [K in keyof typeof NAME_SERVER]: (typeof NAME_SERVER)[K] extends Setting<infer A> ? A : never
}

const REQUIRED = ["powerdnsUrl", "powerdnsKey", "rdnsDomain"] as const

/** Throws `InvalidSetting` if a name server was chosen and another of its settings is missing. */
export const assertNameServer = ({ rdns, ...values }: NameServer): void => {
  const missing = REQUIRED.filter((name) => values[name] === "").map((name) => NAME_SERVER[name].environment)
  if (rdns === undefined || missing.length === 0) return
  throw new InvalidSetting({ message: `--rdns (VPS_SERVICE_RDNS) ${rdns} also needs ${missing.join(", ")}.` })
}
