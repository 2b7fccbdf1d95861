#!/usr/bin/env python3
"""Makes examples/digits/digits.npz from a table of digits.

    convert_digits.py TABLE.csv[.gz] digits.npz

TABLE has a line for each picture: 64 pixels from 0 to 16, row by row, then the digit.  Both the file that
scikit-learn carries (sklearn/datasets/data/digits.csv.gz) and the one of the UCI repository (optdigits.tes) are
such tables.  The result has x: u8[n, 64] and y: i32[n].  It needs Python alone; the same table gives the same bytes.
"""

import gzip
import io
import struct
import sys
import zipfile

PIXELS = 64
DEEPEST = 16


def read_table(path):
    """The pictures, as bytes of 64 pixels, and the digits."""
    opened = gzip.open if path.endswith(".gz") else open
    pictures, digits = [], []
    with opened(path, "rt", encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            values = [int(float(v)) for v in line.split(",")]
            if len(values) != PIXELS + 1:
                raise ValueError(f"{path}:{number}: {len(values)} numbers; {PIXELS + 1} were wanted")
            if not all(0 <= v <= DEEPEST for v in values[:PIXELS]) or not 0 <= values[PIXELS] <= 9:
                raise ValueError(f"{path}:{number}: a pixel outside 0..{DEEPEST} or a digit outside 0..9")
            pictures.append(bytes(values[:PIXELS]))
            digits.append(values[PIXELS])
    return pictures, digits


def npy(descr, shape, data):
    """A .npy file, version 1.0."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") + data


def main(table, result):
    pictures, digits = read_table(table)
    count = len(digits)
    members = {
        "x.npy": npy("|u1", (count, PIXELS), b"".join(pictures)),
        "y.npy": npy("<i4", (count,), struct.pack(f"<{count}i", *digits)),
    }
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as z:
        for name, data in members.items():
            about = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            about.create_system = 0
            about.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(about, data, compresslevel=9)
    with open(result, "wb") as f:
        f.write(whole.getvalue())
    print(f"{result}: {count} pictures, {len(whole.getvalue())} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
