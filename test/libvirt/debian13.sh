#!/bin/bash
# Builds a root file system of Debian 13 with its libvirt in DIR, which host.sh runs a host in (LIBVIRT_ROOT=DIR).
# Needs: root, debootstrap, and a mirror that apt knows.
set -euo pipefail
export PATH=$PATH:/sbin:/usr/sbin LC_ALL=C DEBIAN_FRONTEND=noninteractive
mkdir -p "${1:?}"; root=$(readlink -f "$1")
if [ -z "${IN_NAMESPACE:-}" ]; then IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$root"; fi
mirror=$(apt-get indextargets 'Created-By: Packages' 'Codename: bookworm' --format '$(REPO_URI)' | head -1)

debootstrap --variant=minbase trixie "$root" "$mirror"
# Programs that installed packages would start have no place here.
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"; chmod +x "$root/usr/sbin/policy-rc.d"
printf 'force-unsafe-io\npath-exclude=/usr/share/%s/*\n' doc man locale > "$root/etc/dpkg/dpkg.cfg.d/small"
mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; mount -t sysfs sysfs "$root/sys"
chroot "$root" apt-get update
chroot "$root" apt-get install -y --no-install-recommends \
  libvirt-daemon libvirt-daemon-driver-qemu libvirt-daemon-driver-storage libvirt-daemon-driver-interface \
  libvirt-daemon-config-nwfilter libvirt-clients \
  qemu-system-x86 qemu-utils iproute2 iptables nftables openssh-client sshpass procps kmod
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
chroot "$root" libvirtd --version
