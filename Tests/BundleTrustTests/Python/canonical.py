"""Writes random JSON documents, each with its canonical form by securesystemslib: two texts, each after its length in four bytes.

usage: canonical.py FILE COUNT
"""

import json
import random
import sys

from securesystemslib.formats import encode_canonical

# What canonical forms go wrong with: escapes, controls, composed and decomposed letters, and characters beyond 16 bits, which are sorted
# otherwise by UTF-16 than by code point.
CHARACTERS = 'ab"\\/\x01\x1f\x7f\n\u00e9e\u0301\u212b\uffee\ufffd\U0001f600\U00010000'


def text(chance):
    return "".join(chance.choice(CHARACTERS) for _ in range(chance.randrange(6)))


def value(chance, depth):
    kinds = "ints" if depth == 0 else "intsldld"
    match chance.choice(kinds):
        case "i":
            return chance.choice([0, -1, 1, chance.getrandbits(62), -chance.getrandbits(40)])
        case "n":
            return None
        case "t":
            return chance.random() < 0.5
        case "s":
            return text(chance)
        case "l":
            return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
        case _:
            return {text(chance): value(chance, depth - 1) for _ in range(chance.randrange(5))}


def main(path, count):
    chance = random.Random(1)
    with open(path, "wb") as file:
        for _ in range(count):
            document = value(chance, 4)
            spaces = chance.choice([None, 1])
            source = json.dumps(document, ensure_ascii=chance.random() < 0.5, indent=spaces)
            for form in (source, encode_canonical(document)):
                data = form.encode()
                file.write(len(data).to_bytes(4, "little") + data)


main(sys.argv[1], int(sys.argv[2]))
