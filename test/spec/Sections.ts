/** The sections of the specification, which is not in this repository: each has its rows. */
const OF: Readonly<Record<string, ReadonlyArray<string>>> = {
  "service-spec.md": [
    "Introduction",
    "What the service does",
    "Types",
    "Instance",
    "Order",
    "Service",
    "Pricing",
    "Public plan",
    "Plan specs",
    "OS options",
    "Dry-run preview",
    "Reset-password response",
    "Rescue response",
    "Other records",
    "States and transitions",
    "Endpoints",
    "Create body",
    "Reinstall body",
    "Reset-password rules",
    "Hostname body",
    "Rdns body",
    "Resize body",
    "Snapshot body",
    "Iso mount body",
    "Query parameters of read endpoints",
    "Authentication",
    "Events",
    "Errors",
    "Status codes",
    "Limits",
    "Versioning"
  ]
}

/** Document and section, as a row names them. */
export const SECTIONS: ReadonlyArray<string> = Object.entries(OF)
  .flatMap(([document, names]) => names.map((name) => `${document}, ${name}`))
