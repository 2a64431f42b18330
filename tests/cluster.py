#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shards on a real Slurm and a real Dask: cluster.py GRAZE PYTHONPATH. Both run in a folder of their own on this machine
and are gone afterwards. One task of Slurm is killed and requeued, one worker of Dask is killed half-way, and the answer
is that of one machine, byte for byte."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHARDS = 12


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"cluster.py: {what} did not happen within {seconds} s")
        time.sleep(0.05)


class Processes:
    """Programs that end with the test."""

    def __init__(self, folder):
        self.folder, self.running = folder, []

    def start(self, name, *command, **more):
        log = open(self.folder / f"{name}.out", "ab")
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **more)
        self.running.append(process)
        return process

    def stop(self):
        for process in reversed(self.running):
            # Children of a program are in its group.
            for signal_number in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, signal_number)
                    process.wait(timeout=5)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    pass


def slurm_conf(folder, user):
    ports = [free_port(), free_port()]
    return f"""ClusterName=graze
SlurmctldHost={socket.gethostname().split('.')[0]}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
KillWait=1
ReturnToService=2
NodeName=worker NodeHostname={socket.gethostname().split('.')[0]} NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000
PartitionName=all Nodes=worker Default=YES MaxTime=INFINITE State=UP
"""


def test_slurm(graze, plan, expected, folder, processes):
    for name in ("state", "spool"):
        (folder / name).mkdir()
    user = subprocess.check_output(["id", "-un"], text=True).strip()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    processes.start("munged", "/usr/sbin/munged", "--foreground", "--force", f"--socket={folder}/munge.socket",
                    f"--key-file={folder}/munge.key", f"--pid-file={folder}/munged.pid",
                    f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
    wait_for("munged's socket", (folder / "munge.socket").exists)
    (folder / "slurm.conf").write_text(slurm_conf(folder, user))
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    processes.start("slurmctld", "/usr/sbin/slurmctld", "-D", "-i")
    processes.start("slurmd", "/usr/sbin/slurmd", "-D", "-N", "worker")

    def queue(*options):
        return subprocess.run(["squeue", "-h", *options], capture_output=True, text=True).stdout.split()

    def idle():
        return subprocess.run(["sinfo", "-h", "-o", "%t"], capture_output=True, text=True).stdout.strip() == "idle"

    wait_for("a node of Slurm that is idle", idle)
    submitted = subprocess.run([graze, "clash", "run", "--engine", "slurm", plan], capture_output=True, text=True)
    assert submitted.returncode == 0, submitted.stderr
    jobs = json.loads((Path(plan) / "slurm.json").read_text())
    assert jobs["shards"] in submitted.stdout and jobs["merge"] in submitted.stdout, submitted.stdout
    again = subprocess.run([graze, "clash", "run", "--engine", "slurm", plan], capture_output=True, text=True)
    assert "nothing was submitted" in again.stderr, again.stderr

    killed = []

    def requeue_one():
        for task in queue("-t", "RUNNING", "-j", jobs["shards"], "-o", "%i"):
            if subprocess.run(["scontrol", "requeue", task], capture_output=True).returncode == 0:
                killed.append(task)
                return True
        return False

    wait_for("a task of Slurm that runs", requeue_one)

    def start_again():
        job = subprocess.run(["scontrol", "show", "job", killed[0]], capture_output=True, text=True).stdout
        if "Restarts=1" not in job:
            return False
        # Slurm waits for two minutes before it starts a requeued task.
        subprocess.run(["scontrol", "update", f"JobId={killed[0]}", "StartTime=now"], capture_output=True)
        return "JobState=RUNNING" in job or "JobState=COMPLETED" in job

    wait_for("a requeued task", start_again)
    watched = subprocess.run([graze, "clash", "run", "--engine", "slurm", "--watch", "--json", plan], capture_output=True,
                             text=True, timeout=120)
    assert watched.stdout == expected, watched.stderr
    assert (Path(plan) / "answer.json").read_text() == expected
    print(f"Slurm: {SHARDS} shards, {', '.join(killed)} requeued, the answer is right")


def test_dask(graze, plan, expected, folder, processes):
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    processes.start("scheduler", "dask-scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard",
                    "--no-show")
    workers = [processes.start(f"worker-{i}", "dask-worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                               "--local-directory", str(folder / f"worker-{i}"), "--name", f"worker-{i}")
               for i in range(3)]
    # All three are there before the work begins.
    ready = ("import distributed, sys; distributed.Client(sys.argv[1], timeout='30s').wait_for_workers(3, timeout=60)")
    subprocess.run(["python3", "-c", ready, address], check=True)
    run = subprocess.Popen([graze, "clash", "run", "--json", "--engine", "dask", "--scheduler", address, plan],
                           stdout=subprocess.PIPE, text=True)
    results = Path(plan) / "results"
    wait_for("half of the results", lambda: len(list(results.iterdir())) >= SHARDS // 2)
    os.killpg(workers[1].pid, signal.SIGKILL)
    left = SHARDS - len(list(results.iterdir()))
    output = run.communicate(timeout=120)[0]
    assert output == expected, "the answer is wrong"
    assert left > 0, "the worker was lost after the work"
    print(f"Dask: a worker of three lost with {left} shards left, the answer is right")


def main():
    graze, python_path = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.environ["PATH"] = "/usr/bin:" + os.environ["PATH"]  # Debian's Python has Debian's Dask
    os.environ["PYTHONPATH"] = python_path
    # Slurm's programs pass these on, and squeue's format is one's own.
    for name in [one for one in os.environ if one.startswith(("SLURM", "SBATCH", "SQUEUE"))]:
        del os.environ[name]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("cluster.py: stopped"))
    folder = Path(tempfile.mkdtemp(prefix="graze-cluster-"))
    processes = Processes(folder)
    try:
        city = str(folder / "city")
        subprocess.run([graze, "samples", city, "--parts", "240", "--triangles", "8000", "-q"], check=True)
        expected = subprocess.run([graze, "clash", "--json", city], capture_output=True, text=True).stdout
        for name, test in (("slurm", test_slurm), ("dask", test_dask)):
            plan = str(folder / f"plan-{name}")
            subprocess.run([graze, "clash", "plan", "-q", "--shards", str(SHARDS), "-o", plan, city], check=True)
            start = time.monotonic()
            test(graze, plan, expected, folder, processes)
            print(f"  {time.monotonic() - start:.1f} s")
    except BaseException:
        for log in sorted(folder.glob("*.out")) + sorted(folder.glob("slurm*.log")) + sorted(folder.glob("plan-*/logs/*")):
            print(f"== {log.name}\n{log.read_text(errors='replace')[-2000:]}", file=sys.stderr)
        raise
    finally:
        processes.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
