/** The labels of instances: as chips below a name, and as a filter of a list. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { type ResponseOf, useRead } from "../../api/calls.ts"
import type { Instance } from "../../api/instances.ts"
import { useAccountId } from "../../api/session.ts"

export const LABELS = "/accounts/:account/labels"

type ByInstance = ReadonlyMap<number, ReadonlyArray<string>>

const NONE: ByInstance = new Map()

/** Made once for each response: all rows of a list use it. */
const maps = new WeakMap<object, ByInstance>()

const mapOf = (all: ResponseOf<`GET ${typeof LABELS}`>): ByInstance => {
  const known = maps.get(all)
  if (known !== undefined) return known
  const made = new Map(all.map(({ instance_id, labels }) => [instance_id, labels] as const))
  maps.set(all, made)
  return made
}

/** The labels of the account's instances. */
export const useLabels = (): ByInstance => {
  const { data } = useRead(LABELS, { params: { account: useAccountId() } })
  return data === undefined ? NONE : mapOf(data)
}

export const LabelChips = ({ id }: { readonly id: number }) => {
  const labels = useLabels().get(id)
  return labels === undefined ? null : (
    <span class="labels">
      {labels.map((label) => <span key={label} class="label">{label}</span>)}
    </span>
  )
}

const countOf = (labels: ByInstance): ReadonlyArray<readonly [label: string, count: number]> => {
  const counts = new Map<string, number>()
  for (const label of [...labels.values()].flat()) counts.set(label, (counts.get(label) ?? 0) + 1)
  return [...counts].toSorted(([a], [b]) => a.localeCompare(b))
}

interface LabelledProps {
  readonly instances: ReadonlyArray<Instance>
  readonly children: (chosen: ReadonlyArray<Instance>) => ComponentChildren
}

/** A list of instances below a choice of labels, of which those that are shown have all. */
export const Labelled = ({ children, instances }: LabelledProps) => {
  const labels = useLabels()
  const [pressed, setPressed] = useState<ReadonlyArray<string>>([])
  const counts = countOf(labels)
  // Others may have taken a label away meanwhile.
  const chosen = pressed.filter((label) => counts.some(([known]) => known === label))
  const has = ({ id }: Instance) => chosen.every((label) => labels.get(id)?.includes(label))
  const toggle = (label: string) =>
    setPressed(chosen.includes(label) ? chosen.filter((one) => one !== label) : [...chosen, label])
  return (
    <>
      {counts.length > 0 && (
        <div class="labels choices" role="group" aria-label="Labels">
          {counts.map(([label, count]) => (
            <button
              key={label}
              type="button"
              class="label"
              aria-pressed={chosen.includes(label)}
              onClick={() => toggle(label)}
            >
              {label} <span class="number">{count}</span>
            </button>
          ))}
        </div>
      )}
      {children(chosen.length === 0 ? instances : instances.filter(has))}
    </>
  )
}
