# Instances of two accounts: TF_VAR_shop_key=<api_key> TF_VAR_blog_key=<api_key> tofu apply
terraform {
  required_providers {
    vps = { source = "pulumi-vps/vps" }
  }
}

variable "shop_key" {
  type      = string
  sensitive = true
}

variable "blog_key" {
  type      = string
  sensitive = true
}

provider "vps" {
  alias             = "shop"
  api_key           = var.shop_key
  idempotency_scope = "shop-${terraform.workspace}"
}

provider "vps" {
  alias             = "blog"
  api_key           = var.blog_key
  idempotency_scope = "blog-${terraform.workspace}"
}

# Names must be different within one scope: the provider of each account is a process of its own, which cannot compare
# them.
resource "vps_instance" "shop" {
  provider        = vps.shop
  name            = "shop"
  plan            = "vps-s"
  deletion_policy = "stop"
}

resource "vps_instance" "blog" {
  provider        = vps.blog
  name            = "blog"
  plan            = "vps-s"
  deletion_policy = "stop"
}

output "addresses" {
  value = [vps_instance.shop.ipv4, vps_instance.blog.ipv4]
}
