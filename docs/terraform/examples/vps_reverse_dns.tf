resource "vps_instance" "web" {
  name     = "web"
  plan     = "vps-s"
  hostname = "web.example.com"
}

resource "vps_reverse_dns" "web" {
  instance_id = vps_instance.web.id
  ip          = vps_instance.web.ipv4
  ptr         = "web.example.com"
}
