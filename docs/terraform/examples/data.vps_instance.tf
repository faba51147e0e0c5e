data "vps_instance" "web" {
  hostname = "web.example.com"
}

output "address" {
  value = data.vps_instance.web.ipv4
}
