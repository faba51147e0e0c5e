/** CPU and memory of an instance now; read only once its row is on the screen. */
import { useEffect, useRef, useState } from "preact/hooks"
import { useRead } from "../../api/calls.ts"
import { bytes, percent } from "../../api/format.ts"
import { type Instance, pauseOf } from "../../api/instances.ts"
import { useAccountId } from "../../api/session.ts"
import { Status } from "../../components/Values.tsx"

interface BarProps {
  readonly name: string
  /** 0 to 100. */
  readonly share: number
  readonly text: string
}

export const Bar = ({ name, share, text }: BarProps) => (
  <span class="bar" title={`${name}: ${text}`}>
    <span>{name}</span>
    <meter min={0} max={100} high={90} value={share} aria-label={name}>{text}</meter>
    <span class="number">{text}</span>
  </span>
)

/** True once the element has been on the screen. */
const useSeen = () => {
  const element = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (element.current === null) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return { element, seen }
}

export const Usage = ({ instance: { id, status } }: { readonly instance: Instance }) => {
  const { element, seen } = useSeen()
  const path = "/accounts/:account/v1/instances/:instance_id/status"
  const params = { account: useAccountId(), instance_id: id }
  const { data } = useRead(seen && status === "running" ? path : undefined, { params })
  const sample = data?.sample
  const pause = pauseOf(data)
  return (
    <div ref={element} class="usage">
      {pause !== undefined ?
        <Status value={pause} /> :
        sample === undefined || sample === null ?
        <span class="muted">–</span> :
        (
          <>
            <Bar name="CPU" share={sample.cpu_percent} text={percent(sample.cpu_percent)} />
            <Bar
              name="Mem"
              share={100 * sample.memory_bytes / sample.memory_total_bytes}
              text={bytes(sample.memory_bytes)}
            />
          </>
        )}
    </div>
  )
}
