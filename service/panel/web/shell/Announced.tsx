/** The host's announcements, on every page of the account that they concern, with its instances. */
import type { AnnouncementRecord } from "../../contract/AccountCalls.ts"
import { useEffect, useState } from "preact/hooks"
import { pathTo } from "../api/calls.ts"
import { refresh } from "../api/query.ts"
import { useAccountId } from "../api/session.ts"
import { Button } from "../components/Button.tsx"
import { Notice } from "../components/Page.tsx"
import { When } from "../components/Values.tsx"

/** The versions that the person has hidden in this browser. A change, and the beginning, show one again. */
const KEY = "hidden-announcements"

const stateOf = ({ id, running, version }: AnnouncementRecord): string => `${id}.${version}${running ? ".running" : ""}`

const stored = (): ReadonlyArray<string> => (localStorage.getItem(KEY) ?? "").split(" ")

/** Most instances that are named: a page has room for other things. */
const NAMED_MAX = 5

const Concerned = ({ instances }: Pick<AnnouncementRecord, "instances">) => {
  if (instances === null) return <>It concerns all of your instances.</>
  const rest = instances.length - NAMED_MAX
  return (
    <>
      It concerns {instances.slice(0, NAMED_MAX).map(({ hostname, id }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <a href={`/panel/instances/${id}`}>{hostname ?? `instance ${id}`}</a>
        </span>
      ))}
      {rest > 0 && ` and ${rest} more`}.
    </>
  )
}

const One = ({ one, onHide }: { readonly one: AnnouncementRecord; readonly onHide: () => void }) => {
  const { ends_at: end, instances, kind, running, starts_at: start, text, title } = one
  const isMaintenance = kind === "maintenance"
  return (
    <Notice
      tone={isMaintenance ? "warn" : "info"}
      title={isMaintenance ? `${running ? "Maintenance is under way" : "Maintenance"}: ${title}` : title}
      action={<Button kind="quiet" onClick={onHide}>Hide</Button>}
    >
      {isMaintenance && (
        <p>
          <When at={start} /> to <When at={end} />. <Concerned instances={instances} />
        </p>
      )}
      <p class="lines">{text}</p>
      {!isMaintenance && instances !== null && (
        <p>
          <Concerned instances={instances} />
        </p>
      )}
    </Notice>
  )
}

/** Longest timeout of a browser. */
const TIMEOUT_MAX = 2_147_483_647

/** Reads them again when the next one begins or ends. */
const useMoments = (all: ReadonlyArray<AnnouncementRecord>): void => {
  const account = useAccountId()
  useEffect(() => {
    const left = all.flatMap((one) => [one.starts_at, one.ends_at]).map((at) => Date.parse(at) - Date.now())
    const next = Math.min(TIMEOUT_MAX, ...left.filter((millis) => millis > 0))
    const timer = window.setTimeout(() => refresh(pathTo("/accounts/:account/announcements", { account })), next)
    return () => window.clearTimeout(timer)
  }, [account, all])
}

export const Announced = ({ all }: { readonly all: ReadonlyArray<AnnouncementRecord> }) => {
  const [hidden, setHidden] = useState(stored)
  useMoments(all)
  const hide = (one: AnnouncementRecord) => {
    // Only those that still exist, so that the list stays short.
    const next = [...all.map(stateOf).filter((state) => hidden.includes(state)), stateOf(one)]
    localStorage.setItem(KEY, next.join(" "))
    setHidden(next)
  }
  const shown = all.filter((one) => !hidden.includes(stateOf(one)))
  return <>{shown.map((one) => <One key={one.id} one={one} onHide={() => hide(one)} />)}</>
}
