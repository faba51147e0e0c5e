/** An example catalogue with every field, which `catalogue example` prints and the README shows. */
export const CATALOGUE_EXAMPLE = `data_centers:
  - id: 1
    label: Frankfurt            # images and plans name it by its label
images:
  - os_id: 1
    slug: debian-13             # never changes: instances run it
    label: Debian
    version: "13"
    family: linux               # linux, bsd, windows
    icon: null                  # optional
    data_centers: [Frankfurt]   # where it is offered
    default_in: [Frankfurt]     # optional: where it is installed when a customer names no image
plans:
  - id: 1
    slug: vps-s
    name: VPS S
    description: For small services   # optional
    price: 4.99                 # gross at the seller's home rate, per billing cycle
    currency: EUR               # never changes, like category and data_center
    billing_cycle: monthly      # the default, and the only one
    category: vps               # vps, dedicated, hosting
    specs: { vcpu: 1, ram: 2 GB, storage: 40 GB NVMe, traffic: 20 TB }   # optional; more properties are allowed
    data_center: Frankfurt
    is_active: true             # the default; false withdraws it from sale
    out_of_stock: false         # the default
    auto_deploy: true           # the default; false: each deployment waits for "tasks approve"
isos:
  - id: 1
    name: debian-netinst
    file_name: debian-netinst.iso     # the upstream's name for it
    size_bytes: 681574400
`
