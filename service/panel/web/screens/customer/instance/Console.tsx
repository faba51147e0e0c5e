/** The console of the instance: its screen and keyboard in the browser, by noVNC. */
import RFB from "@novnc/novnc/lib/rfb"
import { useEffect, useRef, useState } from "preact/hooks"
import { send } from "../../../api/calls.ts"
import { messageOf } from "../../../api/client.ts"
import { Button } from "../../../components/Button.tsx"
import { Dialog } from "../../../components/Dialog.tsx"
import { AreaField, Form } from "../../../components/Form.tsx"
import { Notice } from "../../../components/Page.tsx"
import { useInstance } from "./Context.ts"

type State = "connecting" | "connected" | "ended"

/** Between two keys of a pasted text: a boot loader loses keys that come faster. */
const KEY_MILLIS = 12

const KEYSYMS: Readonly<Record<string, number>> = { "\n": 0xff0d, "\t": 0xff09 }

/** The X11 keysym of a character: Latin-1 as it is, other characters by their number in Unicode. */
const keysymOf = (character: string): number => {
  const code = character.codePointAt(0)!
  return KEYSYMS[character] ?? (code <= 0xff ? code : 0x01000000 + code)
}

const typeText = async (rfb: RFB, text: string): Promise<void> => {
  for (const character of text.replaceAll("\r", "")) {
    rfb.sendKey(keysymOf(character), "")
    await new Promise((resolve) => setTimeout(resolve, KEY_MILLIS))
  }
}

const useConsole = () => {
  const { account, instance: { id } } = useInstance()
  const screen = useRef<HTMLDivElement>(null)
  const rfb = useRef<RFB>(undefined)
  const [state, setState] = useState<State>("connecting")
  const [failure, setFailure] = useState<string>()
  const connect = async () => {
    setState("connecting")
    setFailure(undefined)
    try {
      // Of the WebSocket, with the ticket that opens it once.
      const { path } = await send("POST /accounts/:account/instances/:id/console", { params: { account, id } })
      if (screen.current === null) return
      const opened = new RFB(screen.current, `${location.origin.replace("http", "ws")}${path}`)
      opened.scaleViewport = true
      opened.addEventListener("connect", () => setState("connected"))
      opened.addEventListener("disconnect", () => setState("ended"))
      rfb.current = opened
    } catch (error) {
      setState("ended")
      setFailure(messageOf(error))
    }
  }
  useEffect(() => {
    void connect()
    return () => rfb.current?.disconnect()
  }, [])
  return { connect, failure, rfb, screen, state }
}

const Paste = ({ onClose, rfb }: { readonly rfb: RFB; readonly onClose: () => void }) => (
  <Dialog title="Type a text into the console" onClose={onClose}>
    <Form
      submit="Type it"
      onCancel={onClose}
      onSubmit={async ({ text }) => {
        onClose()
        await typeText(rfb, text("keys") ?? "")
      }}
    >
      <AreaField
        name="keys"
        label="Text"
        required
        hint="Sent as keys, one after the other. The keyboard layout of the instance decides what arrives."
      />
    </Form>
  </Dialog>
)

export const Console = () => {
  const { connect, failure, rfb, screen, state } = useConsole()
  const [pasting, setPasting] = useState(false)
  const connected = state === "connected"
  const off = connected ? undefined : "The console is not connected."
  return (
    <>
      <div class="toolbar">
        <Button off={off} onClick={() => rfb.current?.sendCtrlAltDel()}>Ctrl-Alt-Del</Button>
        <Button off={off} onClick={() => setPasting(true)}>Type a text…</Button>
        <Button off={off} onClick={() => void screen.current?.requestFullscreen()}>Full screen</Button>
        <span class="muted" role="status">
          {state === "connecting" ? "Connecting…" : connected ? "Connected. Click the screen to type." : "Ended."}
        </span>
      </div>
      {state === "ended" && (
        <Notice
          tone={failure === undefined ? "info" : "bad"}
          action={<Button onClick={() => void connect()}>Connect again</Button>}
        >
          {failure ?? "The console ended: the instance was stopped, or nothing happened for a long time."}
        </Notice>
      )}
      <div ref={screen} class="console" />
      {pasting && rfb.current !== undefined && <Paste rfb={rfb.current} onClose={() => setPasting(false)} />}
    </>
  )
}
