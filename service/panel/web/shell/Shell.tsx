/** The frame around every screen: navigation, account, connection, open invitations, and the screen itself. */
import { pathTo, send, useRead } from "../api/calls.ts"
import { invitationText, loadSession, useAccount, useSession } from "../api/session.ts"
import { ActionButton } from "../components/ActionButton.tsx"
import { IconButton } from "../components/Button.tsx"
import { later, Notice, Pending } from "../components/Page.tsx"
import { useCanChange } from "../components/ReadOnly.tsx"
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { Icon } from "../components/Icon.tsx"
import { CUSTOMER, EMULATOR, OPERATOR, type Place, Screens } from "./Screens.tsx"
import { Search, SearchButton } from "./Search.tsx"
import { connection, type Follow, refresh, useEvents } from "../api/query.ts"
import { readChanged } from "../api/instances.ts"
import { useStore } from "../api/store.ts"
import { AskHost, HostLinks, SideBrand, TopBrand } from "../components/Brand.tsx"
import { AccountMenu } from "./Menus.tsx"
import { branding } from "../api/branding.ts"
import { freshRequest } from "../api/client.ts"
import { useFailures } from "../api/failures.ts"
import { useWalletQuery } from "../api/wallet.ts"
import { TaskReports } from "./Outcomes.tsx"

/** Invitations to other accounts, which the signed-in person accepts or declines. */
const OpenInvitations = () => {
  const { invitations } = useSession()
  const answer = (call: () => Promise<unknown>, text: string) => async () => {
    await call()
    await loadSession()
    return text
  }
  return (
    <>
      {invitations.map((one) => {
        const accept = () => send("POST /me/invitations/:id/accept", { params: { id: one.id } })
        const decline = () => send("DELETE /me/invitations/:id", { params: { id: one.id } })
        return (
          <Notice
            key={one.id}
            tone="info"
            action={
              <div class="actions">
                <ActionButton kind="primary" run={answer(accept, "You are a member now.")}>
                  Accept
                </ActionButton>
                <ActionButton run={answer(decline, "You declined.")}>Decline</ActionButton>
              </div>
            }
          >
            {invitationText(one)}
          </Notice>
        )
      })}
    </>
  )
}

/** The host has frozen the current account. */
const Frozen = () => {
  const reason = useAccount()?.frozen ?? null
  if (reason === null) return null
  return (
    <Notice tone="bad" title="This account is frozen">
      {reason}. Nothing can be bought, and no change that costs money is possible. <AskHost>Contact your host</AskHost>
      {" "}
      to have it released.
    </Notice>
  )
}

/** On paper only: whose page it is. */
const Letterhead = () => {
  const account = useAccount()
  const { name } = branding
  return (
    <p class="print-only">
      {[name, account === undefined ? undefined : `${account.name}, account ${account.id}`].filter(Boolean).join(" · ")}
    </p>
  )
}

const Missing = later(async () => (await import("./MissingMoney.tsx")).MissingMoney, <Pending />)

/** The wallet does not pay for what is due: shown on every page, because it ends in a deletion. */
const AtRisk = () => {
  const { data: wallet, error } = useWalletQuery()
  const account = useAccount()
  if (wallet === undefined) return account === undefined || error !== undefined ? null : <Pending />
  return wallet.missing === 0 ? null : <Missing wallet={wallet} />
}

const Announced = later(async () => (await import("./Announced.tsx")).Announced, <Pending />)

/** Maintenance and news of the host, on every page of the account that they concern. */
const Announcements = () => {
  const account = useAccount()?.id
  const { path } = useLocation()
  const shown = account !== undefined && !path.startsWith("/panel/operator")
  const { data, error } = useRead(shown ? "/accounts/:account/announcements" : undefined, {
    params: { account: account ?? 0 }
  })
  if (data === undefined) return shown && error === undefined ? <Pending /> : null
  return shown && data.length > 0 ? <Announced all={data} /> : null
}

const isCurrent = (href: string, path: string): boolean =>
  path === href || (href !== "/panel/operator" && path.startsWith(`${href}/`))
  || (href === "/panel/instances" && path === "/panel")

const INSTANCES = "/panel/instances"

const Group = ({ items, title }: { readonly items: ReadonlyArray<Place>; readonly title: string }) => {
  const { path } = useLocation()
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {items.map(({ href, icon, name }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent(href, path) ? "page" : undefined}>
              <Icon name={icon} />
              {name}
              {href === INSTANCES && <FailureCount />}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The number of failed tasks, beside the list of instances. */
const FailureCount = () => {
  const count = useFailures()?.length ?? 0
  if (count === 0) return null
  return (
    <span class="badge bad" title={`${count} failed task${count === 1 ? "" : "s"}`}>
      {count}
      <span class="hidden">failed</span>
    </span>
  )
}

/** Of members who may not order. */
const READING = CUSTOMER.filter(({ href }) => href !== "/panel/order")

/** In the header of a phone, whose navigation is closed. */
const FailureLink = () => {
  const count = useFailures()?.length ?? 0
  return count === 0 ? null : <a class="badge bad" href={INSTANCES}>{count} failed</a>
}

/** The navigation: the account, what the person may do, and the person. */
const Navigation = () => {
  const { accounts, emulator, person, version } = useSession()
  const canChange = useCanChange()
  return (
    <nav class="side" aria-label="Main">
      <div>
        <SideBrand />
        <AccountMenu />
        <SearchButton />
        {accounts.length > 0 && <Group title="Account" items={canChange ? CUSTOMER : READING} />}
        {person.role === "operator" && <Group title="Operator" items={OPERATOR} />}
        {emulator && <Group title="Testing" items={EMULATOR} />}
      </div>
      <footer>
        <HostLinks />
        {version !== null && <p class="version">vps-service {version}</p>}
      </footer>
    </nav>
  )
}

/** Instances with all that belongs to them, and the wallet with its statement. */
const ofAccount = (account: number): Follow => (changed) => {
  const base = `/accounts/${account}`
  const ids = changed.filter((name) => /^\d/.test(name))
  refresh(
    `${base}/activity`,
    ...ids.flatMap((id) => [`${base}/v1/instances/${id}/`, `${base}/instances/${id}/`]),
    ...(ids.length === 0 ? [] : [`${base}/tasks`, `${base}/failures`, `${base}/contracts`, `${base}/wallet`]),
    ...changed.filter((name) => !ids.includes(name)).map((name) => `${base}/${name}`)
  )
  return ids.length === 0 ? Promise.resolve() : readChanged(account, ids)
}

/** Most of the operators' lists depend on each other. */
const ofHost: Follow = () => Promise.resolve(refresh("/operator"))

const useLiveUpdates = () => {
  const { person } = useSession()
  const account = useAccount()?.id
  const events = account === undefined ? undefined : pathTo("/accounts/:account/events", { account })
  useEvents(events, ofAccount(account ?? 0))
  useEvents(person.role === "operator" ? "/operator/events" : undefined, ofHost)
}

const Offline = () =>
  useStore(connection) === "polling"
    ? (
      <p class="offline" role="status">
        No live updates. The page reloads its data every few seconds, and reconnects by itself.
      </p>
    )
    : null

const FreshSignIn = later(async () => (await import("./FreshSignIn.tsx")).FreshSignIn, null)

/** Prompts for a fresh sign-in while a call waits for one. */
const Confirmation = () => {
  const done = useStore(freshRequest)
  // Signing out ends the call that waits.
  useEffect(() => () => freshRequest.get()?.(false), [])
  return done === undefined ? null : <FreshSignIn done={done} />
}

/** As in the styles. */
const NARROW = "(max-width: 56rem)"

/** Escape closes the open menu of a phone, and so does a screen that is wider now, on which it is always there. */
const useClosing = (open: boolean, close: () => void) =>
  useEffect(() => {
    if (!open) return undefined
    const media = matchMedia(NARROW)
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && close()
    media.addEventListener("change", close)
    addEventListener("keydown", onKey)
    return () => {
      media.removeEventListener("change", close)
      removeEventListener("keydown", onKey)
    }
  }, [open])

export const Shell = () => {
  useLiveUpdates()
  const { path } = useLocation()
  const [open, setOpen] = useState(false)
  useEffect(() => setOpen(false), [path])
  useClosing(open, () => setOpen(false))
  return (
    <div class={open ? "shell open" : "shell"}>
      <a class="skip" href="#content">Skip to the content</a>
      <header class="topbar">
        <IconButton icon="menu" label="Menu" aria-expanded={open} onClick={() => setOpen(!open)} />
        <TopBrand />
        <FailureLink />
        <SearchButton />
      </header>
      <Navigation />
      <main id="content" tabIndex={-1} inert={open}>
        <Letterhead />
        <Offline />
        <OpenInvitations />
        <Frozen />
        <AtRisk />
        <Announcements />
        <Screens />
      </main>
      <Search />
      <TaskReports />
      <Confirmation />
    </div>
  )
}
