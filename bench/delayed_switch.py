#!/usr/bin/env python3
"""A switch between network namespaces that hands on each frame so many milliseconds later, for kernels that cannot delay packets
themselves (netem). bench/cluster.sh starts it; root.

    delayed_switch.py MILLISECONDS DEVICE NAMESPACE...
It makes a TAP device called "wire" in each namespace, and DEVICE outside of them, says "ready", and works until it is ended;
the devices go with it. Their frames are of up to 64 KiB, so that 1 Gbit/s are two thousand a second."""
import collections
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000  # linux/if_tun.h
CLONE_NEWNET = 0x40000000  # linux/sched.h
PR_SET_TIMERSLACK = 29  # linux/prctl.h
LONGEST = 65536 + 14
libc = ctypes.CDLL(None, use_errno=True)


def enter(namespace):
    if libc.setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def tap(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    return device


def main():
    delay, outside, *namespaces = sys.argv[1:]
    delay = float(delay) / 1e3
    libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)  # ns
    ports = [tap(outside)]
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    for name in namespaces:
        inside = os.open(f"/run/netns/{name}", os.O_RDONLY)
        enter(inside)
        ports.append(tap("wire"))
        enter(home)
        os.close(inside)
    print("ready", flush=True)
    port_of = {}  # by the address of who sent from there
    waiting = collections.deque()  # (when, port that it came from, frame): all wait as long
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, sender, frame = waiting.popleft()
            receiver = port_of.get(frame[:6])
            for port in [receiver] if receiver is not None else [p for p in ports if p != sender]:
                try:
                    os.write(port, frame)
                except OSError:  # not up yet, or full: lost, as on a wire
                    pass
        patience = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for port in select.select(ports, [], [], patience)[0]:
            frame = os.read(port, LONGEST)
            port_of[frame[6:12]] = port
            waiting.append((time.monotonic() + delay, port, frame))


if __name__ == "__main__":
    main()
