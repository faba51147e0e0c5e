/** Line icons of 16 pixels, drawn with the color of the text around them. */
const PATHS = {
  menu: "M2 4h12M2 8h12M2 12h12",
  close: "m4 4 8 8m0-8-8 8",
  check: "m3 8.5 3.2 3L13 4.5",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  code: "m5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5M9 3 7 13",
  plus: "M8 3v10M3 8h10",
  play: "M5 3.2v9.6L12.5 8z",
  stop: "M4 4h8v8H4z",
  restart: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  instances: "M2.5 3.5h11v3.8h-11zM2.5 8.7h11v3.8h-11zM5 5.4h.01M5 10.6h.01",
  order: "M1.5 2.5h2l1.6 7.6h7.2l1.4-5.4H4.2M6.2 13.2h.01M11.4 13.2h.01",
  wallet: "M2.5 4.5h11v8h-11zM2.5 4.5 11 2.3v2.2M11 8.6h.01",
  mail: "M2 3.5h12v9H2zM2 4.5l6 4.5 6-4.5",
  key: "M9.2 6.8a3 3 0 1 0-2.6 2.9L8 11h1.6v1.6h1.6V14h2.3v-2.4zM5.6 5.6h.01",
  people: "M8 5.2a2.3 2.3 0 1 1-4.6 0 2.3 2.3 0 0 1 4.6 0ZM2 13.2c.2-5 7.4-5 7.6 0M11 3v4.4M12 10c1.2.6 2 1.7 2.2 3.2",
  announce: "M2.5 6.2v3.6h2.2L11 13V3L4.7 6.2zM11 3v10M13.3 6.3v3.4M5.2 10l.9 3.2h1.6",
  account: "M8 7.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2ZM2.8 13.6c.4-2.7 2.4-4.1 5.2-4.1s4.8 1.4 5.2 4.1",
  today: "M2.5 8.5h2.6L6.8 4l2.6 8 1.7-3.5h2.4",
  tasks: "m2.5 4.3 1.2 1.2 2-2.3M8 4.5h5.5M2.5 10.3l1.2 1.2 2-2.3M8 10.5h5.5",
  catalogue: "M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5h-4.5zM9 9h4.5v4.5H9z",
  hosts: "M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M8 11.2h.01",
  audit: "M8 1.8 13 4v4c0 3.2-2.1 5.2-5 6.2C5.1 13.2 3 11.2 3 8V4zM5.8 8l1.6 1.6 3-3.2",
  emulator: "M6.5 2h3M7 2v4.5L3 13.5h10l-4-7V2M5 10.5h6",
  out: "M6.5 2.5h-4v11h4M10.5 5l3 3-3 3M6 8h7.5",
  settings: "M2 4.5h6m4 0h2m-12 7h1m4 0h7M8 4.5a2 2 0 1 0 4 0 2 2 0 1 0-4 0m-5 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.5 3.5",
  up: "m4 10 4-4 4 4",
  down: "m4 6 4 4 4-4",
  warning: "M8 2.3 14.3 13.5H1.7zM8 6.5v3.3M8 11.7h.01",
  console: "M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10h3",
  external: "M9 2.5h4.5V7M13.5 2.5 8 8M11 9v4.5H2.5V5H7"
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
