"""Signs feeds with python-tuf, one state after the other: each FOLDER has a feed.json and its archives, and gets the documents.

usage: repository.py FOLDER…

All keys are of the kind that python-tuf makes by default for each role, and in each folder they are others than in the one before.
"""

import json
import shutil
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole, Delegations, Metadata, MetaFile, Role, Root, Snapshot, TargetFile, Targets, Timestamp
)

EXPIRY = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(days=7)


def keys():
    return {name: CryptoSigner.generate_ecdsa() for name in ("root", "targets", "feed", "snapshot", "timestamp")}


def write(metadata, signers, path):
    for index, signer in enumerate(signers):
        metadata.sign(signer, append=index > 0)
    metadata.to_file(str(path))


def root(version, signers):
    top = [name for name in signers if name != "feed"]
    return Root(
        version=version,
        expires=EXPIRY,
        keys={signers[name].public_key.keyid: signers[name].public_key for name in top},
        roles={name: Role([signers[name].public_key.keyid], 1) for name in top},
        consistent_snapshot=True,
    )


def targets(version, signers, folder):
    content = {}
    feed = json.loads((folder / "feed.json").read_text())
    for release in feed["versions"]:
        target = TargetFile.from_file(release["src"], str(folder / release["src"]), ["sha256"])
        custom = {"name": feed["name"], "version": release["version"], "contents": release["contents"]["files"]}
        target.unrecognized_fields["custom"] = custom
        content[release["src"]] = target
    key = signers["feed"].public_key
    role = DelegatedRole("feed", [key.keyid], 1, True, paths=["feed.json"])
    return Targets(version, expires=EXPIRY, targets=content, delegations=Delegations({key.keyid: key}, {"feed": role}))


def sign(version, signers, before, folder):
    documents = {
        "targets": targets(version, signers, folder),
        "feed": Targets(
            version,
            expires=EXPIRY,
            targets={"feed.json": TargetFile.from_file("feed.json", str(folder / "feed.json"), ["sha256", "sha512"])},
        ),
        "snapshot": Snapshot(
            version, expires=EXPIRY, meta={f"{name}.json": MetaFile(version) for name in ("targets", "feed")}
        ),
        "timestamp": Timestamp(version, expires=EXPIRY, snapshot_meta=MetaFile(version)),
    }
    for name, document in documents.items():
        path = folder / ("timestamp.json" if name == "timestamp" else f"{version}.{name}.json")
        write(Metadata(document), [signers[name]], path)
    roots = [signers["root"]] + ([before["root"]] if before else [])
    write(Metadata(root(version, signers)), roots, folder / f"{version}.root.json")


def main(folders):
    signers = None
    for version, folder in enumerate(folders, 1):
        before, signers = signers, keys()
        sign(version, signers, before, folder)
        if version > 1:
            for earlier in range(1, version):
                shutil.copy(folders[version - 2] / f"{earlier}.root.json", folder)


main([Path(folder) for folder in sys.argv[1:]])
