data "vps_images" "small" {
  plan = "vps-s"
}

output "systems" {
  value = data.vps_images.small.images[*].slug
}
