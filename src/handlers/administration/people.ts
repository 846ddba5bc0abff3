/** The people of the console. Each administrator handles the roles of its environments. */

import { PersonSchema } from '../../../gen/es/personalisation/v1/person_pb.js';
import { PersonService } from '../../../gen/es/personalisation/v1/person_service_pb.js';
import { DomainError } from '../../errors.ts';
import type { People, Person } from '../../security/people.ts';
import { splitScope } from '../../security/scopes.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { notFound, refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { readMessages } from '../messages/pages.ts';
import { timeOf } from '../messages/values.ts';

const pageLimits = { usual: 100, most: 1_000 };

export function createPersonHandlers({ people }: { people: People }) {
  const findVisible = async (call: Call, personId: string) => {
    const person = await people.find(personId);
    if (person?.roles.some((role) => administers(call, role))) return person;
    throw unknownPerson(personId);
  };
  /** @throws unless the caller administers all roles of the person, who is another person. */
  const findManaged = async (call: Call, personId: string) => {
    const person = await findVisible(call, personId);
    refuseSelf(call, person);
    requireRoles(call, person.roles);
    return person;
  };
  return implement(PersonService, {
    async invitePerson({ person }, call) {
      const { name, email, roles } = person!;
      requireRoles(call, roles);
      const invited = await people.invite({ name, email, roles }, actorOf(call));
      if (invited) return { person: personMessage(invited.person, call), linkPath: pathOf(invited.link) };
      const message = 'There is a person with this e-mail address. Change the roles of the person instead.';
      throw new DomainError('PERSON_EXISTS', message);
    },
    async listPeople(page, call) {
      const listed = await readMessages('people', page, call, {
        kinds: ['string'],
        list: (limit, after) => people.list(limit, after?.[0]),
        keyOf: ({ personId }) => [personId],
        chosen: ['people'],
        limits: pageLimits,
        schema: PersonSchema,
        messageOf: (person: Person) =>
          person.roles.some((role) => administers(call, role)) ? personMessage(person, call) : {},
      });
      return { ...listed, people: listed.people.filter(({ personId }) => personId !== '') };
    },
    async setPersonRoles({ personId, roles }, call) {
      const person = await findVisible(call, personId);
      refuseSelf(call, person);
      requireRoles(call, roles);
      const others = person.roles.filter((role) => !administers(call, role));
      const changed = await people.setRoles(person, [...others, ...roles], actorOf(call));
      if (!changed) throw changedMeanwhile(personId);
      return { person: personMessage(changed, call) };
    },
    async resetPerson({ personId }, call) {
      const reset = await people.reset(await findManaged(call, personId), actorOf(call));
      if (!reset) throw changedMeanwhile(personId);
      return { person: personMessage(reset.person, call), linkPath: pathOf(reset.link) };
    },
    async removePerson({ personId }, call) {
      if (await people.remove(await findManaged(call, personId), actorOf(call))) return {};
      throw changedMeanwhile(personId);
    },
  });
}

const pathOf = (link: string) => `/console/#invitation=${link}`;

/** Whether the caller administers the place of a role; texts that are no roles are refused later. */
function administers({ reach = [] }: Call, role: string): boolean {
  return reach === 'everywhere' || reach.includes(splitScope(role)[1]);
}

function requireRoles(call: Call, roles: readonly string[]): void {
  const foreign = roles.find((role) => !administers(call, role));
  if (foreign === undefined) return;
  const scope = `admin:${splitScope(foreign)[1].slice(0, 64)}`;
  throw new DomainError('SCOPE_MISSING', `This person or role needs the scope ${scope}.`, {
    metadata: { client_id: call.caller?.clientId ?? '', scope },
  });
}

/** Keeps the last administrator. */
function refuseSelf({ caller }: Call, { personId }: Person): void {
  if (caller?.clientId !== personId) return;
  refuse([
    { pointer: 'path:person_id', detail: 'You cannot change your own access; ask another administrator.' },
  ]);
}

const unknownPerson = (personId: string) =>
  notFound('PERSON_UNKNOWN', 'person', personId, { person_id: personId });

export const changedMeanwhile = (personId: string) =>
  new DomainError('VERSION_CONFLICT', 'This person was changed at the same time. Read it again.', {
    metadata: { person_id: personId },
  });

function personMessage(person: Person, call: Call) {
  const { personId, name, email, roles, createdAt, linkExpiresAt } = person;
  return {
    ...{ personId, name, email: email ?? '' },
    roles: roles.filter((role) => administers(call, role)),
    manageable: roles.every((role) => administers(call, role)),
    linkExpireTime: timeOf(linkExpiresAt),
    createTime: timeOf(createdAt),
    secondFactor: person.totpKey !== undefined,
  };
}
