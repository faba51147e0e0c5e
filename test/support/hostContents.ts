/** The contents of hosts as a driver lists them, for comparisons: undisturbed but for what a test changes. */
import type { HostContents, ListedMachine } from "#service/domain/Finding"

export const listedMachine = (tag: string, changed: Partial<ListedMachine> = {}): ListedMachine => ({
  tag,
  power: "on",
  isCrashed: false,
  isLeftOff: false,
  isSaved: false,
  isPaused: false,
  isResumable: false,
  isUnprotected: false,
  isFrozen: false,
  ...changed
})

export const hostContents = (
  host: string,
  machines: ReadonlyArray<ListedMachine>,
  changed: Partial<HostContents> = {}
): HostContents => ({
  host,
  storage: host,
  machines,
  foreign: [],
  disks: [],
  backups: null,
  lostImages: [],
  pools: [],
  space: null,
  copies: [],
  certificates: [],
  failure: null,
  isOff: false,
  connection: 1,
  ...changed
})
