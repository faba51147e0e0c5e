resource "vps_instance" "web" {
  name = "web"
  plan = "vps-s"
}

resource "vps_snapshot" "before_upgrade" {
  instance_id = vps_instance.web.id
  name        = "before-upgrade"
}
