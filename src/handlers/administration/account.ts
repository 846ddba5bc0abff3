/** The account of the signed-in person. */

import { AccountService } from '../../../gen/es/personalisation/v1/account_service_pb.js';
import type { Person } from '../../security/people.ts';
import type { Security } from '../../security/security.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { notFound } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { changedMeanwhile } from './people.ts';

type Parts = Pick<Security, 'people' | 'secondFactor' | 'tokenEndpoint'>;

export function createAccountHandlers({ people, secondFactor, tokenEndpoint }: Parts) {
  /** @throws PERSON_UNKNOWN for a client */
  const findOwn = async ({ caller }: Call): Promise<Person> => {
    const { clientId = '', session } = caller ?? {};
    const person = session === undefined ? undefined : await people.find(clientId);
    if (person) return person;
    throw notFound('PERSON_UNKNOWN', 'person', clientId, { person_id: clientId });
  };
  /** Returns the caller, whose password it is. */
  const prove = async (call: Call, password: string): Promise<Person> => {
    const person = await findOwn(call);
    return tokenEndpoint.prove(person, call.peer, () => people.verifyPassword(person.email ?? '', password));
  };
  const issueTo = (person: Person, changed: Person | undefined): Promise<string> => {
    if (changed) return tokenEndpoint.issue(changed);
    throw changedMeanwhile(person.personId);
  };
  return implement(AccountService, {
    async getAccount(_request, call) {
      const { personId, name, email, passwordHash, totpKey, recoveryCodeCount } = await findOwn(call);
      const [hasPassword, secondFactor] = [passwordHash, totpKey].map((one) => one !== undefined);
      return { personId, name, email, hasPassword, secondFactor, recoveryCodeCount };
    },
    async changePassword({ password, newPassword }, call) {
      const person = await prove(call, password);
      const changed = await people.changePassword(person, newPassword, actorOf(call));
      return { accessToken: await issueTo(person, changed) };
    },
    createSecondFactor: async (_request, call) => secondFactor.propose(await findOwn(call)),
    async confirmSecondFactor({ password, setupKey, code }, call) {
      const person = await prove(call, password);
      const made = await secondFactor.set(person, { setupKey, code }, actorOf(call));
      return { recoveryCodes: made?.recoveryCodes, accessToken: await issueTo(person, made?.person) };
    },
    async removeSecondFactor({ password, code }, call) {
      const person = await prove(call, password);
      return { accessToken: await issueTo(person, await secondFactor.remove(person, code, actorOf(call))) };
    },
  });
}
