"""Random bytes as an origin's response: uses the fuzzer of scripts/fuzz, which writes a finding to a file."""

import math
import subprocess


def run(root, seconds):
    result = subprocess.run([root / "scripts" / "fuzz", "response", str(math.ceil(seconds))], cwd=root)
    if result.returncode:
        print("responses: the fuzzer's last lines name the input that it found; put it into Tests/Fuzzing/Corpus/response")
    else:
        print(f"responses: {math.ceil(seconds)} s of scripts/fuzz response without a finding", flush=True)
    return result.returncode == 0
