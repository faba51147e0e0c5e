/** The filters of a list. Those of a screen are in its address, so that a link has them, and a reload finds them. */
import { useId } from "preact/hooks"
import { Button } from "../../components/Button.tsx"
import { type FilterState, type FilterValues, useTyped } from "../../components/filters.ts"

interface Base<Input> {
  /** In the address. */
  readonly name: string
  readonly label: string
  /** The input of the command for a value in the address. */
  readonly inputOf: (value: string) => Partial<Input>
}

export interface ChoiceFilter<Input> extends Base<Input> {
  readonly kind: "choice"
  readonly words: Readonly<Record<string, string>>
}

export interface TextFilter<Input> extends Base<Input> {
  readonly kind: "text"
  readonly suggestions?: ReadonlyArray<string>
}

/** A time in the reader's time zone; in UTC in the address. */
interface TimeFilter<Input> extends Base<Input> {
  readonly kind: "time"
}

/** Only from a link; it can be removed. */
interface LinkedFilter<Input> extends Base<Input> {
  readonly kind: "linked"
  readonly textOf: (value: string) => string
}

export type Filter<Input> = ChoiceFilter<Input> | TextFilter<Input> | TimeFilter<Input> | LinkedFilter<Input>

const ALL = ""

interface ControlProps<F> {
  readonly filter: F
  readonly state: FilterState
}

const Choice = ({ filter: { label, name, words }, state }: ControlProps<ChoiceFilter<never>>) => (
  <select
    aria-label={label}
    value={state.values[name] ?? ALL}
    onChange={(event) => state.change({ [name]: event.currentTarget.value })}
  >
    {Object.entries({ [ALL]: "All", ...words }).map(([word, text]) => <option key={word} value={word}>{text}</option>)}
  </select>
)

const Typed = ({ filter: { label, name, suggestions = [] }, state }: ControlProps<TextFilter<never>>) => {
  const { setText, text } = useTyped(name, state)
  const list = useId()
  return (
    <>
      <input
        class="filter"
        aria-label={label}
        placeholder={label}
        maxLength={255}
        list={suggestions.length === 0 ? undefined : list}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={list}>{suggestions.map((one) => <option key={one} value={one} />)}</datalist>
    </>
  )
}

const MINUTE_MILLIS = 60_000
/** Length of a time without seconds. */
const TO_MINUTE = 16

/** As the browser's control has it: without a time zone. */
const localOf = (iso: string): string => {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ""
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MILLIS).toISOString().slice(0, TO_MINUTE)
}

const Time = ({ filter: { label, name }, state }: ControlProps<TimeFilter<never>>) => {
  const value = state.values[name]
  return (
    <label class="filter">
      {label}
      <input
        type="datetime-local"
        value={value === undefined ? "" : localOf(value)}
        onChange={({ currentTarget: { value: local } }) =>
          state.change({ [name]: local === "" ? "" : new Date(local).toISOString() })}
      />
    </label>
  )
}

const Linked = ({ filter: { name, textOf }, state }: ControlProps<LinkedFilter<never>>) => {
  const value = state.values[name]
  if (value === undefined) return null
  return (
    <Button icon="close" title="Show all" onClick={() => state.change({ [name]: "" })}>Only {textOf(value)}</Button>
  )
}

export function FilterControl<Input>({ filter: given, state }: ControlProps<Filter<Input>>) {
  const filter = given as Filter<never>
  if (filter.kind === "choice") return <Choice {...{ filter, state }} />
  if (filter.kind === "text") return <Typed {...{ filter, state }} />
  return filter.kind === "time" ? <Time {...{ filter, state }} /> : <Linked {...{ filter, state }} />
}

/** The input of the command for the values that the address has. */
export function inputOf<Input>(filters: ReadonlyArray<Filter<Input>>, values: FilterValues): Partial<Input> {
  const parts = filters.flatMap(({ inputOf, name }) => values[name] === undefined ? [] : [inputOf(values[name])])
  return Object.assign({}, ...parts) as Partial<Input>
}
