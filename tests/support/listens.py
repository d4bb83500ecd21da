#!/usr/bin/env python3
"""listens.py DIR - what processes with an open file below DIR can be reached at: a line "ADDRESS PORT PROGRAM" for each socket
of TCP that listens and each of UDP that is bound, by /proc."""
import glob
import ipaddress
import os
import sys


def sockets_of(folder):
    """Sockets (inodes) of processes that hold a file below the folder, with the name of their program."""
    held = {}
    for pid in (p for p in os.listdir("/proc") if p.isdigit()):
        links = []
        for fd in glob.glob(f"/proc/{pid}/fd/*"):
            try:
                links.append(os.readlink(fd))
            except OSError:
                pass
        if any(link.startswith(folder + "/") for link in links):
            try:
                name = open(f"/proc/{pid}/comm").read().strip()
            except OSError:
                continue
            held.update({link[8:-1]: name for link in links if link.startswith("socket:[")})
    return held


def address(text):
    """Words of 32 bits in the order of this machine."""
    words = [int(text[i:i + 8], 16).to_bytes(4, sys.byteorder) for i in range(0, len(text), 8)]
    found = ipaddress.ip_address(b"".join(words))
    return getattr(found, "ipv4_mapped", None) or found


def listening(folder):
    held = sockets_of(os.path.realpath(folder))
    found = []
    for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        try:
            rows = open(f"/proc/net/{table}").read().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            cells = row.split()
            if cells[3] == state and cells[9] in held:
                at, port = cells[1].split(":")
                found.append((address(at), int(port, 16), held[cells[9]]))
    return sorted(found, key=lambda f: f[1])


if __name__ == "__main__":
    for where, port, name in listening(sys.argv[1]):
        print(where, port, name)
