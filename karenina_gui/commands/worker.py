"""`karenina-gui worker`: verify jobs of runs that are started elsewhere."""

from __future__ import annotations

import argparse
from pathlib import Path

from karenina_gui.commands.outcome import DONE, say
from karenina_gui.errors import InputError

NAME = "worker"
SUMMARY = "Start a worker of a cluster, which verifies jobs of runs that other computers start."
DETAILS = """
    ADDRESS is that of the cluster’s scheduler (Dask: “dask scheduler”). Workers need the same version of karenina-gui
    as the computer that starts the run, with the extra “cluster”. They take API keys and the variables that MCP servers
    refer to from their own environment. The worker waits for the scheduler, and waits again when it has gone away.

    Examples:
      karenina-gui worker tcp://127.0.0.1:8786
      karenina-gui worker tls://cluster.example:8786 --tls-ca ca.pem --tls-cert own.pem --tls-key own.key
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS", help="address of the scheduler, such as tls://host:8786")
    parser.add_argument("--name", metavar="NAME", help="name of the worker on the run page (default: its address)")
    parser.add_argument("--jobs", type=int, default=64, metavar="N", help="most jobs at once (default: 64)")
    add_cluster_options(parser)


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """Options for the connection to a scheduler."""
    parser.add_argument(
        "--insecure-cluster",
        action="store_true",
        default=None,
        help="accept an address of another computer without TLS: anyone on that network can then start programs on "
        "the workers",
    )
    for name, what in (
        ("ca", "certificate of the authority that signed those of the cluster"),
        ("cert", "certificate of this computer"),
        ("key", "key of that certificate"),
    ):
        parser.add_argument(f"--tls-{name}", type=Path, metavar="FILE", help=f"{what}, for a tls:// address")


def run(options: argparse.Namespace) -> int:
    """Work until the process is interrupted."""
    from karenina_gui.cluster.address import ClusterAddress

    where = ClusterAddress(options.address, options.insecure_cluster, options.tls_ca, options.tls_cert, options.tls_key)
    where.check()
    if options.jobs < 1:
        raise InputError("--jobs must be at least 1.")
    from karenina_gui.cluster.worker import work

    work(where, options.name, options.jobs, say)
    return DONE
