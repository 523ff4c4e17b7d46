"""Walk through deploy/Containerfile without a container engine: python deploy/check_container.py.

Its RUN and COPY lines are carried out in a folder that stands for the image's own files, by
bubblewrap (bwrap), over this machine's system and Python in place of the base image. Then the
entry point runs as the image's user, on a read-only root with /tmp and /data in memory, until the
health check passes and /readyz says that it is ready; SIGTERM must end it with exit code 0.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
PORT = "18765"
KEY = "a-key-for-this-check-only"


def instructions() -> list[tuple[str, str]]:
    """The lines of the Containerfile, with continued ones joined."""
    text = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    found = (line.split(None, 1) for line in lines if line.strip() and not line.startswith("#"))
    return [(word, rest) for word, rest in found]


def sandbox(image: Path, *, writable: bool, env: dict[str, str]) -> list[str]:
    """This machine's files, read-only, with the image's own ones in their places."""
    mount = "--bind" if writable else "--ro-bind"
    words = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"]
    words += ["--die-with-parent", "--tmpfs", "/tmp", "--tmpfs", "/run", "--clearenv"]
    words += [mount, str(image / "opt"), "/opt"]
    if writable:
        words += ["--bind", str(image / "src"), "/mnt", "--chdir", "/mnt"]
    else:
        words += ["--tmpfs", "/srv", "--chdir", "/srv"]
    for name, value in env.items():
        words += ["--setenv", name, value]
    return words


def build(image: Path) -> dict[str, str]:
    """Carry out the steps; the environment of the image."""
    env = {"PATH": f"{Path(sys.base_prefix) / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp"}
    env |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    for word, rest in instructions():
        if word == "COPY" and "--from" not in rest:
            *sources, place = [each for each in shlex.split(rest) if not each.startswith("--")]
            _copy(
                sources,
                image / place.removeprefix("/") if place[0] == "/" else image / "src" / place,
            )
        elif word == "RUN" and not rest.startswith(("useradd", "install")):
            print(f"RUN {rest}", flush=True)
            command = [*sandbox(image, writable=True, env=env), "sh", "-ec", rest]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        elif word == "ENV":
            for name, value in (each.split("=", 1) for each in shlex.split(rest)):
                env[name] = value.replace("$PATH", env["PATH"])
    return env


def _copy(sources: list[str], place: Path) -> None:
    for each in sources:
        source = ROOT / each
        if source.is_dir():
            shutil.copytree(
                source, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            target = place / source.name if place.name in (".", "src") else place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def run(image: Path, env: dict[str, str]) -> None:
    """Start it as the image does, and stop it."""
    rules = dict(instructions())
    database = "sqlite:////srv/conlinucb.db"  # /srv stands for /data, which is in memory here
    env |= {"CONLINUCB_PORT": PORT, "CONLINUCB_KEY": KEY, "CONLINUCB_DATABASE": database}
    user = ["--unshare-user", "--uid", rules["USER"], "--gid", rules["USER"]]
    words = [*sandbox(image, writable=False, env=env), *user]
    entry = [*json.loads(rules["ENTRYPOINT"]), *json.loads(rules["CMD"])]
    begun = time.monotonic()
    process = subprocess.Popen([*words, *entry], start_new_session=True)
    try:
        for path in ("/healthz", "/readyz"):
            _wait(path, process)
            print(f"{path} after {time.monotonic() - begun:.1f} s", flush=True)
        health = json.loads(rules["HEALTHCHECK"].partition("CMD ")[2])
        subprocess.run(health, check=True, env=os.environ | env)
        _check_inside(process.pid, int(rules["USER"]))
        server = _children(process.pid)[0]
        os.kill(server, signal.SIGTERM)
        assert process.wait(timeout=60) == 0, process.returncode
        print("SIGTERM: exit code 0")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    """The processes below bwrap's own first one."""
    first = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    inner = f"/proc/{first[0]}/task/{first[0]}/children"
    return [int(each) for each in Path(inner).read_text(encoding="utf-8").split()]


def _check_inside(pid: int, user: int) -> None:
    """Not root, and nothing but memory can be written to."""
    server = _children(pid)[0]
    mounts = Path(f"/proc/{server}/mounts").read_text(encoding="utf-8").splitlines()
    options = {each.split()[1]: each.split()[3].split(",") for each in mounts}
    assert "ro" in options["/"], options["/"]
    assert "ro" in options["/opt"], options["/opt"]
    outer = Path(f"/proc/{server}/uid_map").read_text(encoding="utf-8").split()
    assert int(outer[0]) == user, outer
    print(f"user {user}, root read-only")


def _wait(path: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        assert process.poll() is None, f"it ended with {process.returncode}"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=5) as answer:
                assert answer.status == 200
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise AssertionError(f"{path} does not answer")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="image-", dir="/var/tmp") as folder:
        image = Path(folder)
        for each in ("opt", "src"):
            (image / each).mkdir()
        run(image, build(image))
