data "vps_isos" "web" {
  instance_id = "1"
}

output "images" {
  value = data.vps_isos.web.isos[*].name
}
