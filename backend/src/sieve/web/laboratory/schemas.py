"""What the page of the laboratory shows of an experiment; `sieve lab` prints more."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from sieve.web.laboratory_runs import Name, State


class SystemCell(BaseModel):
    """A value of table 5.3 of the thesis, beside ours with half the width of the interval of the mean of five runs."""

    system: Literal["batching", "no batching"]
    rate_per_s: float
    quantity: Literal["turnaround", "queue length", "queue delay"]
    printed: float
    mean: float
    ci95_of_five_runs: float
    inside: bool


class BatchingFound(BaseModel):
    """`sieve lab batching`."""

    table: list[SystemCell]


class Speedup(BaseModel):
    """Plain RSA over one batch, in processor time. `formula`: by equation 1 of the paper; `printed` and `printed_real`
    are in its table 2.
    """

    bits: int
    batch: int
    form: Literal["no crt", "crt", "safe"]
    plain_ms: float
    batch_ms: float
    speedup: float
    formula: float
    printed: float | None
    printed_real: float | None


class BatchSize(BaseModel):
    """A place of table 1 of the paper; 1 is plain RSA. `ours`: by its algorithm 3."""

    rate_per_s: float
    bits: int
    printed: int
    ours: int


class Operation(BaseModel):
    """The server's private operations of one handshake."""

    name: Literal["rsa-plain", "rsa-crt", "rsa-batch-4", "rsa-batch-8", "rsa-openssl", "ecdhe-rsa", "ecdhe-ecdsa"]
    ms: float


class BatchRsaFound(BaseModel):
    """`sieve lab batch-rsa --quick`."""

    speedups: list[Speedup]
    sizes: list[BatchSize]
    today: list[Operation]


class Overhead(BaseModel):
    """By how many percent a duration is more than in one process, with half the width of the interval of 95 %.
    `printed`: of the thesis, through the handler, corrected.
    """

    duration: Literal["initiation", "resumption", "processor"]
    size_kb: int
    printed: float | None
    through_handler: float
    through_handler_ci95: float | None
    direct: float
    direct_ci95: float | None


class TlsSplitFound(BaseModel):
    """`sieve lab tls-split --quick`. `clients`: at a time, over which each percentage is a mean."""

    clients: list[int]
    overheads: list[Overhead]


class ExperimentShown(BaseModel):
    """`reason`: why it failed, in English. `batching`, `batch_rsa`, `tls_split`: what the last finished run found."""

    name: Name
    state: State
    started_at: datetime | None
    took_s: float | None
    reason: str | None
    batching: BatchingFound | None
    batch_rsa: BatchRsaFound | None
    tls_split: TlsSplitFound | None


class LaboratoryShown(BaseModel):
    """Every experiment."""

    experiments: list[ExperimentShown]
