/**
 * The filters that keep a machine from using other addresses than its own, and from answering for routers and servers.
 * libvirt's own filter against foreign addresses (`clean-traffic`) admits DHCP servers and no IPv6; these extend it.
 *
 * No rule of libvirt reads the address that a neighbor advertisement is about, so any machine could take any address
 * over. Therefore a machine receives advertisements of its gateway only, and reaches its siblings through the gateway.
 */

/** libvirt's own filter, on which these depend. */
export const LIBVIRT_FILTER = "clean-traffic"

/** The names have a version: a changed filter gets a new name, because machines may still use the old one. */
export const IPV4_FILTER = "vps-clean-traffic-ipv4-2"
export const IPV6_FILTER = "vps-clean-traffic-2"
const DHCP_SERVER = "vps-no-dhcp-server-2"
const IPV6_SOURCE = "vps-ipv6-source-2"
const IPV6_NEIGHBORS = "vps-ipv6-neighbors-2"

/** The ports of servers are 67 and 547. Clients accept replies from any port, so their own are closed, too. */
const dhcpServerXml = (more: string) =>
  `<filter name="${DHCP_SERVER}" chain="ipv4-dhcp" priority="-705">${more}
  <rule action="drop" direction="out"><ip protocol="udp" srcportstart="67" srcportend="67"/></rule>
  <rule action="drop" direction="out"><ip protocol="udp" dstportstart="68" dstportend="68"/></rule>
</filter>`

/** A part of all filters of machines. */
export const RENEWED_FILTER = DHCP_SERVER

/** A rule that the filter has already, which changes its definition and nothing else. */
const AGAIN =
  `<rule action="drop" direction="out" priority="501"><ip protocol="udp" srcportstart="67" srcportend="67"/></rule>`

/** The other one of two definitions that do the same: libvirt makes the rules of a filter that changes. */
export const renewedXml = (uuid: string, current: string): string =>
  dhcpServerXml(`<uuid>${uuid}</uuid>${/priority='501'/.test(current) ? "" : AGAIN}`)

const icmpv6 = (priority: number, action: string, direction: string, type: number, source = "") =>
  `<rule action="${action}" direction="${direction}" priority="${priority}">`
  + `<ipv6 ${source} protocol="icmpv6" type="${type}"/></rule>`

const OWN = `srcipaddr="$IPV6"`
const UNSPECIFIED = `srcipaddr="::" srcipmask="128"`
const ANY_LINK_LOCAL = `srcipaddr="fe80::" srcipmask="10"`

const TYPE = { router: 134, solicitation: 135, advertisement: 136, redirect: 137 } as const
/** Subscriptions to multicast groups. */
const SUBSCRIPTIONS = [131, 132, 143] as const

/**
 * A machine sends from its own address, and from the link-local one that its MAC makes. The check whether an address
 * is in use already comes without a source: it could keep another machine from using its address.
 */
const SOURCE_XML = `<filter name="${IPV6_SOURCE}" chain="ipv6-source" priority="-610">
  ${icmpv6(100, "drop", "out", TYPE.router)}
  ${icmpv6(110, "drop", "out", TYPE.redirect)}
  ${icmpv6(120, "drop", "out", TYPE.solicitation, UNSPECIFIED)}
  ${icmpv6(130, "return", "out", TYPE.advertisement, OWN)}
  ${icmpv6(140, "drop", "out", TYPE.advertisement)}
  <rule action="drop" direction="out" priority="150"><ipv6 protocol="udp" srcportstart="547" srcportend="547"/></rule>
  <rule action="drop" direction="out" priority="160"><ipv6 protocol="udp" dstportstart="546" dstportend="546"/></rule>
  <rule action="return" direction="out" priority="200"><ipv6 ${UNSPECIFIED} protocol="icmpv6"/></rule>
  ${SUBSCRIPTIONS.map((type) => icmpv6(210, "return", "out", type, ANY_LINK_LOCAL)).join("\n  ")}
  <rule action="return" direction="out" priority="220"><ipv6 srcipaddr="$LINK_LOCAL"/></rule>
  <rule action="return" direction="out" priority="500"><ipv6 ${OWN}/></rule>
  <rule action="drop" direction="out" priority="1000"/>
</filter>`

/** Only routers advertise from a link-local address: the filter of each machine drops those of machines. */
const NEIGHBORS_XML = `<filter name="${IPV6_NEIGHBORS}" chain="ipv6-nd" priority="-620">
  ${icmpv6(100, "return", "in", TYPE.advertisement, `srcipaddr="$GATEWAY6"`)}
  ${icmpv6(110, "return", "in", TYPE.advertisement, ANY_LINK_LOCAL)}
  ${icmpv6(120, "drop", "in", TYPE.advertisement)}
  ${icmpv6(130, "drop", "in", TYPE.redirect)}
</filter>`

const refer = (...filters: ReadonlyArray<string>) => filters.map((filter) => `<filterref filter="${filter}"/>`).join("")

/** As `clean-traffic`, without servers, and with `ipv6` after the rules for IPv4. */
const filterXml = (name: string, ipv6: string) =>
  `<filter name="${name}" chain="root">
  ${refer("no-mac-spoofing", "no-ip-spoofing", DHCP_SERVER)}
  <rule direction="out" action="accept" priority="-650"><mac protocolid="ipv4"/></rule>
  ${refer("allow-incoming-ipv4")}
  ${ipv6}
  ${refer("no-arp-spoofing")}
  <rule action="accept" direction="inout" priority="-500"><mac protocolid="arp"/></rule>
  ${refer("no-other-l2-traffic", "qemu-announce-self")}
</filter>`

const IPV6_RULES = `${refer(IPV6_NEIGHBORS, IPV6_SOURCE)}
  <rule direction="out" action="accept" priority="-600"><mac protocolid="ipv6"/></rule>
  ${refer("allow-incoming-ipv6")}`

/** Each after those that it refers to. */
export const FILTERS: ReadonlyArray<string> = [
  dhcpServerXml(""),
  SOURCE_XML,
  NEIGHBORS_XML,
  filterXml(IPV6_FILTER, IPV6_RULES),
  filterXml(IPV4_FILTER, "")
]
