"""What is in deploy/: settings that exist, no rights, no secrets, stops that are waited for."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.drain import QUEUE_SECONDS
from conlinucb.service.sources import OTHER_VARIABLES, variable

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KNOWN = {variable(name) for name in (*ServiceConfig.model_fields, *OTHER_VARIABLES)}
FILES = sorted(each for each in DEPLOY.rglob("*") if each.is_file() and each.suffix != ".pyc")
KUBERNETES = {each.stem: each for each in (DEPLOY / "kubernetes").glob("*.yaml")}


def load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def lines(word: str) -> list[str]:
    check = runpy.run_path(str(DEPLOY / "check_container.py"))
    return [rest for name, rest in check["instructions"]() if name == word]


def pod(name: str) -> dict[str, Any]:
    found: dict[str, Any] = load(KUBERNETES[name])["spec"]["template"]["spec"]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda each: each.name)
def test_variables_are_settings_and_secrets_are_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert {*re.findall(r"\bCONLINUCB_[A-Z_]*[A-Z]\b", text)} <= KNOWN
    assert not re.search(r"^\s*(CONLINUCB_KEY|POSTGRES_PASSWORD)\s*[:=]", text, re.MULTILINE)


def test_the_image_is_not_roots_and_is_watched() -> None:
    assert lines("USER") == ["10001"]
    assert "/healthz" in lines("HEALTHCHECK")[0]
    assert lines("STOPSIGNAL") == ["SIGTERM"]
    assert len(lines("FROM")) == 2
    copied = [each for each in lines("COPY") if "--from" not in each]
    assert not any(each.split()[0] == "." for each in copied)
    for each in copied:
        *sources, _ = [word for word in each.split() if not word.startswith("--")]
        assert all((ROOT / source).exists() for source in sources)


@pytest.mark.parametrize("name", ["deployment", "upgrade"])
def test_pods_have_no_rights_and_no_links(name: str) -> None:
    spec = pod(name)
    (container,) = spec["containers"]
    assert spec["enableServiceLinks"] is False
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert str(spec["securityContext"]["runAsUser"]) == lines("USER")[0]
    rights = container["securityContext"]
    assert rights["readOnlyRootFilesystem"] is True
    assert rights["allowPrivilegeEscalation"] is False
    assert rights["capabilities"] == {"drop": ["ALL"]}
    assert {each["name"] for each in spec["volumes"]} >= {
        each["name"] for each in container["volumeMounts"]
    }
    assert "/tmp" in [each["mountPath"] for each in container["volumeMounts"]]
    assert "memory" in container["resources"]["limits"]


def test_probes_and_the_time_to_leave() -> None:
    spec = pod("deployment")
    (container,) = spec["containers"]
    paths = {
        name: container[f"{name}Probe"]["httpGet"]["path"]
        for name in ("startup", "liveness", "readiness")
    }
    assert paths == {"startup": "/readyz", "liveness": "/healthz", "readiness": "/readyz"}
    given = {each["name"]: each["value"] for each in container["env"]}
    lame = float(given["CONLINUCB_LAME_DUCK_SECONDS"])
    stop = lame + QUEUE_SECONDS + float(given["CONLINUCB_DRAIN_SECONDS"])
    assert spec["terminationGracePeriodSeconds"] > stop + 5
    ready = container["readinessProbe"]
    assert lame > ready["periodSeconds"] * ready["failureThreshold"]  # it is seen to be leaving


def test_kubernetes_parts_fit_together() -> None:
    labels = load(KUBERNETES["deployment"])["spec"]["template"]["metadata"]["labels"]
    assert load(KUBERNETES["service"])["spec"]["selector"] == labels
    assert load(KUBERNETES["disruption"])["spec"]["selector"]["matchLabels"] == labels
    (port,) = load(KUBERNETES["service"])["spec"]["ports"]
    assert port["targetPort"] in [
        each["name"] for each in pod("deployment")["containers"][0]["ports"]
    ]
    assert load(KUBERNETES["upgrade"])["spec"]["template"]["metadata"]["labels"] != labels
    images = {pod(name)["containers"][0]["image"] for name in ("deployment", "upgrade")}
    assert len(images) == 1
    listed = load(KUBERNETES["kustomization"])["resources"]
    assert all((DEPLOY / "kubernetes" / each).is_file() for each in listed)


def test_compose_has_no_rights_and_waits() -> None:
    found = load(DEPLOY / "compose.yaml")
    for name in ("conlinucb", "upgrade"):
        service = found["services"][name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "/tmp" in service["tmpfs"]
        assert {*service["secrets"]} <= {*found["secrets"]}
    assert found["services"]["conlinucb"]["ports"] == ["127.0.0.1:8000:8000"]
    assert found["networks"]["inside"] == {"internal": True}
    assert "deploy/secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8")


def test_the_units_stop_is_waited_for() -> None:
    text = (DEPLOY / "systemd" / "conlinucb.service").read_text(encoding="utf-8")
    given = dict(each.split("=", 1) for each in text.splitlines() if "=" in each[1:])
    usual = {name: field.default for name, field in ServiceConfig.model_fields.items()}
    stop = usual["lame_duck_seconds"] + QUEUE_SECONDS + usual["drain_seconds"]
    assert int(given["TimeoutStopSec"]) > stop + 5
    assert given["ExecStartPre"].endswith("serve --check-config")
    assert "MemoryDenyWriteExecute" not in given  # kernels are machine code


def test_kernels_of_the_image_are_copied_once(tmp_path: Path) -> None:
    for folder in ("bin", "kernels"):
        (tmp_path / folder).mkdir()
    (tmp_path / "kernels" / "one.nbc").write_text("compiled")
    start = tmp_path / "bin" / "start"
    start.write_bytes((DEPLOY / "start").read_bytes())
    start.chmod(0o755)
    command = tmp_path / "bin" / "conlinucb"
    command.write_text('#!/bin/sh\necho "$@"\n')
    command.chmod(0o755)
    cache = tmp_path / "tmp" / "kernels"
    cache.parent.mkdir()
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "NUMBA_CACHE_DIR": str(cache)}
    for _ in range(2):
        done = subprocess.run([start, "serve"], env=env, capture_output=True, text=True, check=True)
        assert done.stdout == "serve\n"
    assert [each.name for each in cache.iterdir()] == ["one.nbc"]
