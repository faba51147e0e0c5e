/** The filters against foreign addresses. libvirt's own one lets no IPv6 pass; these extend it. */

/** libvirt's filter against foreign IPv4 addresses and MACs. */
export const IPV4_FILTER = "clean-traffic"

/** The names have a version: a changed filter gets new names, because machines may still use the old one. */
export const IPV6_FILTER = "vps-clean-traffic-1"
const IPV6_SOURCE = "vps-ipv6-source-1"

/** Neighbor solicitations are sent without an address; router advertisements and redirects are the router's. */
export const SOURCE_XML = `<filter name="${IPV6_SOURCE}" chain="ipv6-source" priority="-610">
  <rule action="drop" direction="out" priority="100"><ipv6 protocol="icmpv6" type="134"/></rule>
  <rule action="drop" direction="out" priority="110"><ipv6 protocol="icmpv6" type="137"/></rule>
  <rule action="return" direction="out" priority="200">
    <ipv6 srcipaddr="::" srcipmask="128" protocol="icmpv6"/></rule>
  <rule action="return" direction="out" priority="210">
    <ipv6 srcipaddr="fe80::" srcipmask="10" protocol="icmpv6"/></rule>
  <rule action="return" direction="out" priority="500"><ipv6 srcipaddr="$IPV6"/></rule>
  <rule action="drop" direction="out" priority="1000"/>
</filter>`

/** As `clean-traffic`, with the rules for IPv6. */
export const FILTER_XML = `<filter name="${IPV6_FILTER}" chain="root">
  <filterref filter="no-mac-spoofing"/>
  <filterref filter="no-ip-spoofing"/>
  <rule direction="out" action="accept" priority="-650"><mac protocolid="ipv4"/></rule>
  <filterref filter="allow-incoming-ipv4"/>
  <filterref filter="${IPV6_SOURCE}"/>
  <rule direction="out" action="accept" priority="-600"><mac protocolid="ipv6"/></rule>
  <filterref filter="allow-incoming-ipv6"/>
  <filterref filter="no-arp-spoofing"/>
  <rule action="accept" direction="inout" priority="-500"><mac protocolid="arp"/></rule>
  <filterref filter="no-other-l2-traffic"/>
  <filterref filter="qemu-announce-self"/>
</filter>`
