/** Code that is loaded when it is first shown. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "./Button.tsx"
import { Loading, Notice } from "./State.tsx"

const Failed = () => (
  <Notice tone="warn" action={<Button onClick={() => location.reload()}>Reload</Button>}>
    This part of the panel could not be loaded: the service was updated, or cannot be reached. Reload the page.
  </Notice>
)

export const later = <P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> => {
  let loaded: ComponentType<P> | undefined
  return (props: P) => {
    const [Content, setContent] = useState<ComponentType<P> | undefined>(() => loaded)
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (Content !== undefined) return
      const run = async () => {
        const component = await load()
        loaded = component
        setContent(() => component)
      }
      run().catch(() => setFailed(true))
    }, [])
    if (failed) return <Failed />
    return Content === undefined ? <Loading lines={6} /> : <Content {...props} />
  }
}
