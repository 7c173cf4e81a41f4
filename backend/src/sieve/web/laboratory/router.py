"""The quick experiments of the laboratory, for admins, if the setting `laboratory` allows them."""

from sieve.gateway.clock import NS_PER_S
from sieve.gateway.errors import NotFound
from sieve.web.access import Admin
from sieve.web.api_router import api_router
from sieve.web.laboratory.schemas import BatchingFound, BatchRsaFound, ExperimentShown, LaboratoryShown
from sieve.web.laboratory.tls_split import tls_split_found
from sieve.web.laboratory_runs import Laboratory, Name, Run
from sieve.web.services import Given, Services
from sieve.web.times import shown_if

router = api_router("/laboratory", tag="laboratory")


@router.get("")
async def experiments(admin: Admin, services: Given) -> LaboratoryShown:
    """Every experiment, with the last run of each."""
    return _shown(_laboratory(services))


@router.post("/{name}/run", status_code=202)
async def run(name: Name, admin: Admin, services: Given) -> LaboratoryShown:
    """Starts an experiment, which takes a minute or two. One runs at a time."""
    laboratory = _laboratory(services)
    laboratory.start(name)
    return _shown(laboratory)


@router.post("/stop")
async def stop(admin: Admin, services: Given) -> LaboratoryShown:
    """Stops the experiment that is running, if one is."""
    laboratory = _laboratory(services)
    await laboratory.stop()
    return _shown(laboratory)


def _laboratory(services: Services) -> Laboratory:
    if services.laboratory is None:
        raise NotFound("this gateway has no laboratory: its setting SIEVE_LABORATORY is off")
    return services.laboratory


def _shown(laboratory: Laboratory) -> LaboratoryShown:
    return LaboratoryShown(experiments=[_experiment(name, run) for name, run in laboratory.runs.items()])


def _experiment(name: Name, run: Run) -> ExperimentShown:
    took_ns = None if run.started_ns is None or run.ended_ns is None else run.ended_ns - run.started_ns
    return ExperimentShown(
        name=name,
        state=run.state,
        started_at=shown_if(run.started_ns),
        took_s=None if took_ns is None else took_ns / NS_PER_S,
        reason=run.reason,
        batching=BatchingFound.model_validate(run.found) if run.found and name == "batching" else None,
        batch_rsa=BatchRsaFound.model_validate(run.found) if run.found and name == "batch-rsa" else None,
        tls_split=tls_split_found(run.found) if run.found and name == "tls-split" else None,
    )
