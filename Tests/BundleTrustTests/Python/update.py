"""Updates with python-tuf's client from a folder on a web server.

usage: update.py ROOT URL FOLDER TARGET…

The root is the first one. What the client trusts is kept in FOLDER/metadata, and the targets are downloaded to FOLDER/targets.
"""

import os
import sys
from pathlib import Path

from tuf.ngclient import Updater, UpdaterConfig


def main(root, url, folder, targets):
    for name in ("metadata", "targets"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    updater = Updater(
        metadata_dir=os.path.join(folder, "metadata"),
        metadata_base_url=url,
        target_dir=os.path.join(folder, "targets"),
        target_base_url=url,
        # A feed says where its archives are, by names without a digest.
        config=UpdaterConfig(prefix_targets_with_hash=False),
        bootstrap=Path(root).read_bytes(),
    )
    updater.refresh()
    for target in targets:
        info = updater.get_targetinfo(target)
        if info is None:
            sys.exit(f"{target} isn't signed")
        updater.download_target(info)


# The web server is on this machine.
os.environ["no_proxy"] = "*"
main(*sys.argv[1:4], sys.argv[4:])
