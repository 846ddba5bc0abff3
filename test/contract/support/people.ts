/** Calls of people: invitations, sign-ins, and operations as one of them. */

import { Code, ConnectError, createClient } from '@connectrpc/connect';
import type { ExecutionContext } from 'ava';
import { AccountService } from '../../../gen/es/personalisation/v1/account_service_pb.js';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { EnvironmentService } from '../../../gen/es/personalisation/v1/environment_service_pb.js';
import { PersonService } from '../../../gen/es/personalisation/v1/person_service_pb.js';
import { createAdminTransport } from '../../support/admin-transport.ts';
import type { TestService } from '../../support/service.ts';

export const password = 'correct horse battery';

export const refusal = async (t: ExecutionContext, call: Promise<unknown>) =>
  Code[ConnectError.from(await t.throwsAsync(call)).code];

export const invitationOf = (link: string) => link.slice(link.indexOf('=') + 1);

/** Another node, or a test, refuses within ten seconds; this waits for the condition. */
export async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 200));
}

export type Session = {
  access_token?: string;
  client_id?: string;
  name?: string;
  scopes?: string[];
  reason?: string;
  code_needed?: boolean;
};

export function createPeopleCalls(service: TestService) {
  const as = (authorization: string) => {
    const transport = createAdminTransport({ ...service, authorization });
    return {
      account: createClient(AccountService, transport),
      people: createClient(PersonService, transport),
      configurations: createClient(ConfigurationService, transport),
      environments: createClient(EnvironmentService, transport),
      audit: createClient(AuditService, transport),
    };
  };
  const admin = () => as(service.authorization);
  const signIn = async (credentials: Record<string, string>): Promise<Session> => {
    const init = { method: 'POST', body: JSON.stringify(credentials) };
    return (await (await fetch(new URL('/console/session', service.baseUrl), init)).json()) as Session;
  };
  const invite = (email: string, ...roles: string[]) =>
    admin().people.invitePerson({ person: { name: `Name of ${email}`, email, roles } });
  const join = async (email: string, ...roles: string[]) => {
    const { person, linkPath: link } = await invite(email, ...roles);
    const session = await signIn({ invitation: invitationOf(link), password });
    return { personId: person!.personId, link, ...as(`Bearer ${session.access_token}`), session };
  };
  return { as, admin, signIn, invite, join };
}
