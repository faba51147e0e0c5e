terraform {
  required_providers {
    vps = { source = "pulumi-vps/vps" }
  }
}

provider "vps" {
  base_url             = "https://host.example/api/v1" # or VPS_BASE_URL
  idempotency_scope    = "shop-${terraform.workspace}" # required to buy
  max_charge_per_apply = 50
}
