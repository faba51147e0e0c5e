data "vps_plans" "all" {}

output "prices" {
  value = { for plan in data.vps_plans.all.plans : plan.slug => plan.price }
}
