"""Whether what stands in several files of deploy/ agrees, where no schema would notice.

With `--pods-of-knative FOLDER` it writes there what the schemas' checkers read: each Knative service as JSON, and its
pod in a Deployment, without the fields that only Knative has.
"""

import ipaddress
import json
import sys
import tomllib
from pathlib import Path

import yaml

DEPLOY = Path(__file__).parent
DRAIN_SECONDS = {"service": 25, "worker": 25}


def manifests(folder, *names):
    """All documents of these files, by kind and name."""
    found = {}
    for name in names:
        for document in yaml.safe_load_all((DEPLOY / folder / name).read_text()):
            found[document["kind"], document["metadata"]["name"]] = document
    return found


def pods(every):
    """Each process's pod spec, with where it stands."""
    for process in ("service", "worker"):
        yield process, "kubernetes", every["Deployment", f"porthole-{process}"]["spec"]["template"]["spec"]
        yield process, "knative", knative(process)["spec"]["template"]["spec"]


def knative(process):
    return yaml.safe_load((DEPLOY / "knative" / f"{process}.yaml").read_text())


def write_pods_of_knative(folder):
    for process in ("service", "worker"):
        manifest = knative(process)
        (folder / f"{process}.json").write_text(json.dumps(manifest))
        spec = dict(manifest["spec"]["template"]["spec"])
        for own in ("containerConcurrency", "timeoutSeconds", "responseStartTimeoutSeconds"):
            assert isinstance(spec.pop(own), int), own
        labels = manifest["spec"]["template"]["metadata"]["labels"]
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": process},
            "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
        }
        (folder / f"{process}-pod.json").write_text(json.dumps(deployment))


def check_pods(every):
    for process, where, pod in pods(every):
        at = f"{where}/{process}"
        (container,) = pod["containers"]
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"], at
        assert security["capabilities"] == {"drop": ["ALL"]}, at
        users = {**pod.get("securityContext", {}), **security}
        assert users["runAsNonRoot"] and users["runAsUser"] == 10001, at
        profile = users["seccompProfile"]["type"]
        assert profile == ("Localhost" if process == "service" else "RuntimeDefault"), at
        for setting in container["env"]:
            secret = any(word in setting["name"] for word in ("KEY", "BROWSERBASE_API", "PROJECT_ID"))
            assert not secret or setting["name"].endswith("_FILE"), f"{at}: {setting['name']} is no file"
        # Each secret that a setting names as a file is in the volume that is mounted there.
        mounted = {item["path"] for volume in pod["volumes"] if "secret" in volume for item in volume["secret"]["items"]}
        named = {Path(setting["value"]).name for setting in container["env"] if setting["name"].endswith("_FILE")}
        assert named == mounted, f"{at}: {named} are named, {mounted} are mounted"
        if where == "kubernetes":
            pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
            assert pod["terminationGracePeriodSeconds"] >= pause + DRAIN_SECONDS[process] + 10, at
        else:
            assert pod["timeoutSeconds"] > DRAIN_SECONDS[process], at


def check_scaling(every):
    metric = every["HorizontalPodAutoscaler", "porthole-service"]["spec"]["metrics"][0]["pods"]
    (rule,) = yaml.safe_load((DEPLOY / "kubernetes/prometheus-adapter.yaml").read_text())["rules"]["custom"]
    assert rule["name"]["as"] == metric["metric"]["name"]
    pod = every["Deployment", "porthole-service"]["spec"]["template"]["spec"]["containers"][0]
    permits = next(setting["value"] for setting in pod["env"] if setting["name"] == "PORTHOLE_MAX_CONCURRENT")
    assert 0 < int(metric["target"]["averageValue"]) < int(permits)
    assert knative("service")["spec"]["template"]["spec"]["containerConcurrency"] == int(permits)


def check_selectors(every):
    for (kind, name), manifest in every.items():
        spec = manifest.get("spec", {})
        selector = spec.get("selector") or spec.get("podSelector")
        if not selector:
            continue
        labels = selector.get("matchLabels", selector)
        assert any(
            labels.items() <= other["spec"]["template"]["metadata"]["labels"].items()
            for (other_kind, _), other in every.items()
            if other_kind == "Deployment"
        ), f"{kind} {name} selects nobody"


def check_peers(every):
    """The worker finds every replica by itself: behind a headless Service, or by Compose's name of the service."""
    variable = "PORTHOLE_SERVICE_PEERS"
    (worker,) = every["Deployment", "porthole-worker"]["spec"]["template"]["spec"]["containers"]
    told = {setting["name"]: setting.get("value") for setting in worker["env"]}
    assert "PORTHOLE_SERVICE_URL" not in told, f"{variable} is used instead"
    name, port = told[variable].rsplit(":", 1)
    peers = every["Service", name]["spec"]
    assert peers["clusterIP"] == "None" and [one["port"] for one in peers["ports"]] == [int(port)]
    assert peers["selector"] == every["Service", "porthole-service"]["spec"]["selector"]
    # DNS has a port by number alone: the Service can't map it to another.
    (service,) = every["Deployment", "porthole-service"]["spec"]["template"]["spec"]["containers"]
    assert {"name": "http", "containerPort": int(port)} in service["ports"]
    compose = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())["services"]
    name, port = compose["worker"]["environment"][variable].rsplit(":", 1)
    assert compose[name]["deploy"]["replicas"] > 1 and port == "8788"


def check_network(every):
    """No block that the guard refuses can be reached by the service's pod, and the internet can."""
    policy = every["NetworkPolicy", "porthole-service"]["spec"]["egress"]
    ways = [way["ipBlock"] for rule in policy for way in rule["to"]]

    def reached(address):
        address = ipaddress.ip_address(address)
        return any(
            address in ipaddress.ip_network(way["cidr"])
            and not any(address in ipaddress.ip_network(gap) for gap in way["except"])
            for way in ways
        )

    for address in ("1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"):
        assert reached(address), f"{address} can't be reached"
    blocks = (DEPLOY.parent / "service/tests/data/address-blocks.tsv").read_text().splitlines()
    assert len(blocks) > 20
    for block in blocks:
        first, last, reason, *_ = block.split("\t")
        if ":5efe:" in first:
            # ISATAP: in any network, so no prefix names it. The guard knows it.
            continue
        for address in (first, last):
            assert reason == "public" or not reached(address), f"{address} ({reason}) can be reached"
    # Beside the internet only the name service may be reached.
    others = every["NetworkPolicy", "names"]["spec"]["egress"]
    assert [port["port"] for rule in others for port in rule["ports"]] == [53, 53]
    assert every["NetworkPolicy", "nothing-unless-allowed"]["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }


def check_denied_networks(every):
    """The guard and the network policy deny the same networks of one's own, in whatever way the service is run."""
    variable = "PORTHOLE_DENY_CIDRS"

    def of_pod(pod):
        return next(setting["value"] for setting in pod["containers"][0]["env"] if setting["name"] == variable)

    unit = (DEPLOY / "systemd/porthole-service.service").read_text()
    (of_unit,) = [line.split("=", 2)[2] for line in unit.splitlines() if line.startswith(f"Environment={variable}=")]
    compose = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())["services"]["service"]["environment"]
    of_compose = compose[variable].removeprefix("${" + variable + ":-").removesuffix("}")
    told = {of_unit, of_compose, *(of_pod(pod) for process, _, pod in pods(every) if process == "service")}
    assert len(told) == 1, f"{variable} differs: {told}"
    policy = every["NetworkPolicy", "porthole-service"]["spec"]["egress"]
    ways = [way["ipBlock"] for rule in policy for way in rule["to"]]
    for denied in map(ipaddress.ip_network, told.pop().split(",")):
        same = [way for way in ways if ipaddress.ip_network(way["cidr"]).version == denied.version]
        for way in same:
            gaps = map(ipaddress.ip_network, way["except"])
            inside = denied.overlaps(ipaddress.ip_network(way["cidr"]))
            assert not inside or any(denied.subnet_of(gap) for gap in gaps), f"network.yaml does not except {denied}"


def check_seccomp():
    profile = json.loads((DEPLOY / "container/seccomp.json").read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    allowed = {name: rule for rule in profile["syscalls"] for name in rule["names"]}
    # What Chromium's sandbox is made of, and what leads out of a container.
    assert {"clone", "unshare", "chroot", "seccomp"} <= allowed.keys()
    assert "args" in allowed["clone"], "any namespace could be made"
    out = {"clone3", "mount", "umount2", "setns", "ptrace", "bpf", "keyctl", "kexec_load", "init_module", "io_uring_setup"}
    assert not out & allowed.keys()


def check_alerts():
    """Each alert has its severity, its chapter in README.md and a test that makes its cause happen."""
    chapters = {line[4:].strip().lower() for line in (DEPLOY / "README.md").read_text().splitlines() if line.startswith("### ")}
    tests = "".join(path.read_text() for path in (DEPLOY.parent / "tests/tests/alerts").glob("*.rs"))
    (group,) = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())["groups"]
    for rule in group["rules"]:
        name, annotations = rule["alert"], rule["annotations"]
        assert rule["labels"]["severity"] in ("critical", "warning") and annotations["summary"], name
        assert annotations["runbook_url"] == f"deploy/README.md#{name.lower()}" and name.lower() in chapters, name
        assert f'"{name}"' in tests, f"no test makes {name} fire"


def check_image():
    """The image is built from all of the workspace's members."""
    root = DEPLOY.parent
    sent = (root / ".dockerignore").read_text().splitlines()
    steps = (DEPLOY / "container/Dockerfile").read_text().splitlines()
    for member in tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["members"]:
        assert f"!{member}" in sent, f".dockerignore leaves {member} out"
        assert f"COPY {member}/Cargo.toml {member}/" in steps, f"the Dockerfile leaves {member} out"


def main():
    if sys.argv[1:2] == ["--pods-of-knative"]:
        write_pods_of_knative(Path(sys.argv[2]))
        return
    resources = yaml.safe_load((DEPLOY / "kubernetes/kustomization.yaml").read_text())["resources"]
    every = manifests("kubernetes", *resources)
    check_pods(every)
    check_scaling(every)
    check_selectors(every)
    check_peers(every)
    check_network(every)
    check_denied_networks(every)
    check_seccomp()
    check_alerts()
    check_image()


main()
