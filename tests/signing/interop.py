"""What we sign, `model_signing` verifies, and the other way round.

`SKILLYARD_BIN` names the binary; runs with the Python that has `model_signing` installed.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

BINARY = pathlib.Path(os.environ["SKILLYARD_BIN"]).resolve()
MODEL_SIGNING = pathlib.Path(sys.executable).parent / "model_signing"
SKILL = "---\nname: pdf\ndescription: Fills forms. Use for PDF files.\nmetadata:\n  version: 1.0.0\n---\n\nDo it.\n"


class Place:
    def __init__(self, path):
        self.path = path
        self.skill = path / "pdf"
        self.keys = path / "home/keys"
        (self.skill / "scripts").mkdir(parents=True)
        (self.skill / "SKILL.md").write_text(SKILL)
        (self.skill / "scripts/run.sh").write_text("echo hello\n")
        (self.skill / ".gitignore").write_text("*.pyc\n")

    @property
    def signature(self):
        return self.skill / "skill.oms.sig"

    def skillyard(self, *arguments):
        environment = {"HOME": str(self.path), "SKILLYARD_HOME": str(self.path / "home"), "PATH": "/usr/bin:/bin"}
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True, env=environment)

    def verdict(self):
        return json.loads(self.skillyard("verify", self.skill, "--json").stdout)

    def model_signing(self, *arguments):
        command = [MODEL_SIGNING, *arguments[:2], self.skill, "--signature", self.signature, *arguments[2:]]
        return subprocess.run(command, capture_output=True, text=True)

    def generate(self, algorithm):
        assert self.skillyard("key", "generate", "mine", "--algorithm", algorithm).returncode == 0
        assert self.skillyard("key", "trust", "mine").returncode == 0


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.mark.parametrize("algorithm", ["p256", "p384"])
def test_model_signing_verifies_ours(place, algorithm):
    place.generate(algorithm)
    assert place.skillyard("sign", place.skill).returncode == 0
    verify = ("verify", "key", "--public_key", place.keys / "mine.pub")
    assert place.model_signing(*verify).returncode == 0
    (place.skill / "scripts/run.sh").write_text("echo bye\n")
    assert place.model_signing(*verify).returncode != 0


@pytest.mark.parametrize("algorithm", ["p256", "p384"])
def test_we_verify_what_model_signing_signed(place, algorithm):
    place.generate(algorithm)
    signed = place.model_signing("sign", "key", "--private_key", place.keys / "mine.key")
    assert signed.returncode == 0, signed.stderr
    answer = place.verdict()
    assert (answer["code"], answer["uncovered"]) == ("uncovered", [".gitignore"]), answer
    (place.skill / ".gitignore").unlink()
    answer = place.verdict()
    assert (answer["verdict"], answer["signer"]["name"]) == ("trusted", "mine"), answer
    (place.skill / "more.txt").write_text("x")
    assert place.verdict()["code"] == "changed"


def certificate(subject, key, issuer, issuer_key, authority, days=1):
    now = datetime.datetime.now(datetime.timezone.utc)
    name = lambda text: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
    usage = dict.fromkeys(
        ["content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"],
        False,
    )
    builder = x509.CertificateBuilder(name(issuer), name(subject), key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(days=9)).not_valid_after(now + datetime.timedelta(days=days))
    builder = builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    usage = x509.KeyUsage(digital_signature=not authority, key_cert_sign=authority, crl_sign=authority, **usage)
    return builder.add_extension(usage, critical=True).sign(issuer_key, hashes.SHA384())


@pytest.mark.parametrize("days, verdict", [(1, "trusted"), (-1, "untrusted")])
def test_we_verify_chains_that_model_signing_signed(place, days, verdict):
    root_key, leaf_key = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
    root = certificate("Root", root_key, "Root", root_key, True)
    leaf = certificate("Signer", leaf_key, "Root", root_key, False, days)
    pem = serialization.Encoding.PEM
    (place.skill / ".gitignore").unlink()
    for name, each in {"root": root, "leaf": leaf}.items():
        (place.path / f"{name}.pem").write_bytes(each.public_bytes(pem))
    private = leaf_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (place.path / "leaf.key").write_bytes(private)
    signed = place.model_signing(
        "sign", "certificate", "--private_key", place.path / "leaf.key",
        "--signing_certificate", place.path / "leaf.pem", "--certificate_chain", place.path / "root.pem",
    )
    assert signed.returncode == 0, signed.stderr
    assert place.verdict()["code"] == ("unknown-authority" if days > 0 else "certificate-not-valid")
    assert place.skillyard("key", "trust", place.path / "root.pem").returncode == 0
    assert place.verdict()["verdict"] == verdict
