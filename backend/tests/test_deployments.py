"""docker-compose.yml, deploy/kubernetes and deploy/nginx fit the gateway and each other. `make check` holds
docker-compose.yml against its schema, and asks nginx.
"""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft7Validator
from ruamel.yaml import YAML

from sieve.config import PREFIX, Settings

REPOSITORY = Path(__file__).parents[2]
KUBERNETES = REPOSITORY / "deploy" / "kubernetes"
NGINX = REPOSITORY / "deploy" / "nginx"
SETTINGS = {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
OTHERS = {"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "POD_INDEX"}


def documents(path: Path) -> list[dict[str, Any]]:
    return list(YAML(typ="safe").load_all(path.read_text()))


COMPOSE = documents(REPOSITORY / "docker-compose.yml")[0]["services"]
MANIFESTS = {
    (each["kind"], each["metadata"]["name"]): each for path in KUBERNETES.glob("*.yaml") for each in documents(path)
}
SCHEMA = json.loads(Path(__file__).with_name("kubernetes.schema.json").read_text())
POD = MANIFESTS["StatefulSet", "sieve"]["spec"]["template"]["spec"]


def problems(manifest: dict[str, Any]) -> list[str]:
    """What Kubernetes' API does not allow in it."""
    kind = {"$ref": f"#/$defs/{SCHEMA['kinds'][manifest['kind']]}", "$defs": SCHEMA["$defs"]}
    return [f"{error.json_path}: {error.message}" for error in Draft7Validator(kind).iter_errors(manifest)]


@pytest.mark.parametrize("kind", MANIFESTS, ids=" ".join)
def test_manifests_are_what_kubernetes_allows(kind: tuple[str, str]) -> None:
    assert problems(MANIFESTS[kind]) == []


def test_an_unknown_name_in_a_manifest_is_found() -> None:
    service = MANIFESTS["Service", "sieve-secure"]
    [problem] = problems(service | {"spec": service["spec"] | {"sessionAfinity": "ClientIP"}})
    assert "sessionAfinity" in problem


def test_what_they_set_are_settings() -> None:
    gateways = [
        COMPOSE[name]["environment"] for name in COMPOSE if "SIEVE_NAME" in COMPOSE[name].get("environment", {})
    ]
    assert len(gateways) == 5
    [container] = POD["containers"]
    pod = {
        *(each["name"] for each in container["env"]),
        *MANIFESTS["ConfigMap", "sieve"]["data"],
        *MANIFESTS["Secret", "sieve-stores"]["stringData"],
    }
    for names in (*gateways, pod):
        assert {*names} <= SETTINGS | OTHERS


def test_replicas_have_one_host_and_a_plain_port_each() -> None:
    replicas = [COMPOSE[f"alpha-{number}"]["environment"] for number in (1, 2, 3)]
    plain = [urlsplit(each["SIEVE_PLAIN_URL"]) for each in replicas]
    assert {each.hostname for each in plain} == {"balancer"}
    assert "balancer" in COMPOSE
    own = {"SIEVE_WEB_BIND", "SIEVE_PLAIN_URL"}
    shared = [{name: value for name, value in each.items() if name not in own} for each in replicas]
    assert shared[0] == shared[1] == shared[2]
    # nginx passes each port on to that replica.
    text = (NGINX / "compose.conf").read_text()
    for number, url in enumerate(plain, 1):
        assert f"listen {url.port};\n        proxy_pass replica-{number}:8081;" in text
        networks = COMPOSE[f"alpha-{number}"]["networks"]["alpha-cluster"]
        assert networks["aliases"] == [f"replica-{number}"]
        assert replicas[number - 1]["SIEVE_WEB_BIND"] == f"{networks['ipv4_address']}:8080"
    assert COMPOSE["balancer"]["networks"]["alpha-cluster"]["ipv4_address"] == replicas[0]["SIEVE_TRUSTED_PROXY"]


def test_peers_do_not_reach_the_web_listener_through_nginx() -> None:
    """It is on their network, too."""
    networks = documents(REPOSITORY / "docker-compose.yml")[0]["networks"]
    [of_web] = [each["subnet"] for each in networks["alpha-cluster"]["ipam"]["config"]]
    assert "wire" in COMPOSE["balancer"]["networks"]
    [server] = re.findall(r"server {([^{}]*include web\.conf;)", (NGINX / "compose.conf").read_text())
    assert re.findall(r"(allow|deny) ([^;]+);", server) == [
        ("allow", of_web),
        ("allow", "127.0.0.0/8"),
        ("deny", "all"),
    ]


def test_each_pod_has_the_node_port_that_it_names() -> None:
    [url] = [each["value"] for each in POD["containers"][0]["env"] if each["name"] == "SIEVE_PLAIN_URL"]
    for index in range(MANIFESTS["StatefulSet", "sieve"]["spec"]["replicas"]):
        service = MANIFESTS["Service", f"sieve-plain-{index}"]["spec"]
        assert service["selector"] == {"statefulset.kubernetes.io/pod-name": f"sieve-{index}"}
        assert url.replace("$(POD_INDEX)", str(index)).endswith(f":{service['ports'][0]['nodePort']}")


def test_a_peer_stays_with_one_replica() -> None:
    service = MANIFESTS["Service", "sieve-secure"]["spec"]
    assert (service["sessionAffinity"], service["externalTrafficPolicy"]) == ("ClientIP", "Local")
    for name in ("compose.conf", "replicas.conf"):
        assert re.search(r"upstream sieve_secure {\n +hash \$remote_addr consistent;", (NGINX / name).read_text())


def test_the_ingress_buffers_and_logs_no_more_than_nginx_does() -> None:
    """Otherwise uploads are in temporary files in clear."""
    annotations = MANIFESTS["Ingress", "sieve"]["metadata"]["annotations"]
    directives = annotations.pop("nginx.org/location-snippets").split("\n")
    for name, value in annotations.items():
        directives.append(f"{name.removeprefix('nginx.org/').replace('-', '_')} {value.replace('False', 'off')};")
    # The controller itself writes the other ones, as it does the address and the names of the headers.
    ours = re.findall(
        r"^ *((?:proxy_\w*buffering|proxy_\w*file_size|proxy_read_timeout|client_\w+|access_log) [^;]+;)",
        (NGINX / "web.conf").read_text(),
        re.MULTILINE,
    )
    assert len(ours) == 6 and {*ours} == {*filter(None, directives)}


def test_services_do_not_set_what_looks_like_settings() -> None:
    assert POD["enableServiceLinks"] is False


def test_gateways_run_below_the_init_of_the_image() -> None:
    """Compose's `command` comes after the image's entry point; that of Kubernetes replaces it."""
    gateways = [service for service in COMPOSE.values() if OURS.fullmatch(service["image"])]
    assert gateways
    for service in gateways:
        assert "entrypoint" not in service and "init" not in service, "a second init warns at each start"
    assert all("command" not in container for container in POD["containers"])


# --- images ----------------------------------------------------------------------------------------------------------

BY_DIGEST = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
OURS = re.compile(r"(registry\.example\.org/)?security-sieve(:[\w.-]+)?")
"""The image of the repository's Dockerfile, whose bases `test_image` looks at."""


def images(found: object) -> list[str]:
    """Every image that is named anywhere in a document."""
    if isinstance(found, list):
        return [image for each in found for image in images(each)]
    if not isinstance(found, dict):
        return []
    inside = [image for name, each in found.items() if name != "image" for image in images(each)]
    return [*inside, str(found["image"])] if "image" in found else inside


def test_every_image_of_others_is_pinned_by_its_digest() -> None:
    files = [REPOSITORY / "docker-compose.yml", *(REPOSITORY / "deploy").rglob("*.y*ml")]
    named = {image for path in files for each in documents(path) for image in images(each)}
    assert {image.partition(":")[0] for image in named if not OURS.fullmatch(image)} == {
        "nginx",
        "postgres",
        "chrislusf/seaweedfs",
    }
    assert [image for image in named if not (OURS.fullmatch(image) or BY_DIGEST.fullmatch(image))] == []
