"""The second factors of people, for admins: who has one, and taking a lost one away."""

from sieve.gateway.errors import NotAllowed, NotFound
from sieve.store.queries import factors as queries
from sieve.store.queries import people, sessions
from sieve.web.access import Admin
from sieve.web.account_lock import lock
from sieve.web.api_router import api_router
from sieve.web.factors.schemas import PersonsFactors
from sieve.web.services import Given
from sieve.web.session.recent_confirmation import ConfirmedAdmin

router = api_router("/people", tag="people")


@router.get("/factors")
async def who_has_one(admin: Admin, services: Given) -> list[PersonsFactors]:
    """The people who have a second factor."""
    async with services.database.read() as session:
        return [PersonsFactors(person_id=each) for each in await queries.who_has_one(session)]


@router.delete("/{person_id}/factors", status_code=204)
async def take_away(person_id: str, admin: ConfirmedAdmin, services: Given) -> None:
    """Takes all second factors and recovery codes of a person away, and ends their sessions. They still need their
    password, and can then add a new factor. What the account holds is locked until a second admin agrees
    (`/approvals`): somebody else may know the password.
    """
    if person_id == admin.id:
        raise NotAllowed("remove your own second factor on your account page; another admin can take a lost one away")
    async with services.database.write() as session:
        person = await people.by_id(session, person_id)
        if person is None:
            raise NotFound("there is no such person")
        if await queries.has_factor(session, person.id):
            await lock(services, session, person, admin.id)
        await queries.remove_all(session, person.id)
        await sessions.end_all(session, person.id)
        await services.audit.note(session, admin.name, "factors-taken-away", person.name)
    services.announcements.account_changed(person_id)
