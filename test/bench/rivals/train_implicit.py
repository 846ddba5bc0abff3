"""Measures implicit for implicit.ts: alternating least squares with 64 factors, in one thread."""

import json
import os
import resource
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import implicit
import numpy as np
from scipy.sparse import csr_matrix

lines = (Path(sys.argv[1]) / "events.csv").read_text().split("\n")
pairs = [line.split(",") for line in lines]
users = {name: number for number, name in enumerate(dict.fromkeys(user for user, _ in pairs))}
items = {name: number for number, name in enumerate(dict.fromkeys(item for _, item in pairs))}
rows = [users[user] for user, _ in pairs]
columns = [items[item] for _, item in pairs]
start, cpu_start = time.perf_counter(), time.process_time()
matrix = csr_matrix((np.ones(len(pairs), dtype=np.float32), (rows, columns)))
model = implicit.als.AlternatingLeastSquares(factors=64, iterations=15, num_threads=1, random_state=1)
model.fit(matrix, show_progress=False)
print(
    json.dumps(
        {
            "events": len(pairs),
            "training s": round(time.perf_counter() - start, 2),
            "CPU s": round(time.process_time() - cpu_start, 2),
            "memory MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 2),
        }
    )
)
