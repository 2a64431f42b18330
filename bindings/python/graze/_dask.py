# SPDX-License-Identifier: Apache-2.0
"""Works on the shards of a plan with the workers of a Dask cluster, for `graze clash run DIR --engine dask`.

The workers need the command and the folder of the plan under the same paths as here. They do not need this package.
"""
from __future__ import annotations

import importlib
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

ATTEMPTS = 3


def run_shards(scheduler: str, command: Sequence[str], shards: Sequence[int], logs: Path) -> List[int]:
    """Runs the command for each shard, three times if need be, and returns the shards that failed.

    A shard whose worker is lost goes to another worker: Dask sees to that.
    """
    distributed = importlib.import_module("distributed")
    failed: List[int] = []
    run = uuid.uuid4().hex
    with distributed.Client(scheduler, timeout="30s") as client:
        of_future: Dict[Any, Tuple[int, int]] = {}

        def submit(shard: int, attempt: int) -> Any:
            future = client.submit(subprocess.run, [*command, str(shard)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pure=False,
                                   key=f"graze-shard-{shard}-{attempt}-{run}")
            of_future[future.key] = (shard, attempt)
            return future

        waiting = distributed.as_completed([submit(shard, 1) for shard in shards])
        for future in waiting:
            shard, attempt = of_future.pop(future.key)
            try:
                done = future.result()
                text, good = done.stdout.decode(errors="replace"), done.returncode == 0
            except Exception as lost:  # all workers that tried it were lost, or cannot run the command
                text, good = f"{type(lost).__name__}: {lost}\n", False
            if good:
                continue
            with open(logs / str(shard), "a", encoding="utf-8") as log:
                log.write(text)
            if attempt < ATTEMPTS:
                waiting.add(submit(shard, attempt + 1))
            else:
                failed.append(shard)
    return failed


def main(arguments: Sequence[str]) -> int:
    scheduler, pending, logs, *command = arguments
    shards = [int(word) for word in Path(pending).read_text(encoding="ascii").split()]
    try:
        run_shards(scheduler, command, shards, Path(logs))
    except (ImportError, OSError) as fault:
        print(f"graze: {scheduler}: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
