data "vps_plan" "small" {
  slug = "vps-s"
}

output "price" {
  value = data.vps_plan.small.price
}
