"""Kernels that start at once: a process that has imported what chapters import, and forks for each of them.

Half of a chapter's time went into imports. Jupyter starts a kernel by a command, so here the command is a client of a
few lines: it asks the process for a fork, and lives as long as the fork does. Where nothing can be forked (Windows), or
forks are not safe (macOS), kernels start as they always did.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLAIN, WARM = "python3", "warm"
# What most chapters import, and what takes long to.
IMPORTED = ("torch", "sympy", "z3", "matplotlib.pyplot", "ipykernel.kernelapp", "posenc_lib", "bookkit.derivation")


@contextmanager
def kernels() -> Iterator[str]:
    """The name of the kernel to run chapters with, as long as this lasts."""
    if sys.platform != "linux":
        yield PLAIN
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "socket"
        spec = Path(folder) / "kernels" / WARM / "kernel.json"
        spec.parent.mkdir(parents=True)
        argv = [sys.executable, "-S", __file__, str(place), "-f", "{connection_file}"]
        spec.write_text(json.dumps({"argv": argv, "display_name": WARM, "language": "python"}))
        before = os.environ.get("JUPYTER_PATH")
        os.environ["JUPYTER_PATH"] = folder + (os.pathsep + before if before else "")
        server = subprocess.Popen([sys.executable, "-m", "tools.warm", str(place)], stdin=subprocess.PIPE)
        try:
            yield WARM
        finally:
            server.stdin.close()  # it ends when nobody holds the other end any more, also if we are killed
            server.wait()
            os.environ.pop("JUPYTER_PATH")
            os.environ |= {"JUPYTER_PATH": before} if before else {}


def client(place: str, arguments: list[str]) -> None:
    """What Jupyter takes for the kernel."""
    asked = socket.socket(socket.AF_UNIX)
    while True:  # until the server has imported all and listens
        try:
            asked.connect(place)
            break
        except (FileNotFoundError, ConnectionRefusedError):
            if not os.path.isdir(os.path.dirname(place)):
                raise
            threading.Event().wait(0.05)
    asked.sendall(json.dumps({"argv": arguments, "cwd": os.getcwd(), "env": dict(os.environ)}).encode() + b"\n")
    asked.recv(1)  # nothing is ever sent: this returns when the fork has ended


def serve(place: str) -> None:
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # matplotlib reads it on import
    for name in IMPORTED:
        __import__(name)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a fork to end
    while True:
        asked, _ = listening.accept()
        told = json.loads(asked.makefile().readline())
        if os.fork() == 0:
            listening.close()
            become(asked, told)
        asked.close()


def become(asked: socket.socket, told: dict) -> None:
    """This fork is the kernel from now on, and ends when its client is killed."""
    from ipykernel import kernelapp

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(told["cwd"])
    os.environ.clear()
    os.environ.update(told["env"])
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    sys.argv = ["ipykernel_launcher.py", *told["argv"]]
    sys.path[0] = ""  # as for a command with -m: the folder that it runs in
    threading.Thread(target=lambda: (asked.recv(1), os._exit(0)), daemon=True).start()
    try:
        kernelapp.launch_new_instance()
    finally:
        os._exit(0)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    client(sys.argv[1], sys.argv[2:])
