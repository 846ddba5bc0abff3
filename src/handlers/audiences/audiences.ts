import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AudienceSchema, AudienceUserSchema } from '../../../gen/es/personalisation/v1/audience_pb.js';
import {
  AudienceService,
  type ExportAudienceRequest,
} from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import type { LimitSettings } from '../../deployment/deployment.ts';
import type { DomainError } from '../../errors.ts';
import type { ServedCalls } from '../../events/served-calls.ts';
import type { AudienceMember, AudiencePage } from '../../jobs/audiences/audience-request.ts';
import type { Audiences } from '../../jobs/audiences/audiences.ts';
import type { Subject } from '../../jobs/audiences/subjects.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import {
  type AudienceRow,
  findAudience,
  listAudiences,
  listMembers,
  type MemberRow,
} from '../../repository/audiences/audiences.ts';
import type { Database } from '../../repository/database.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { notFound, refuse } from '../chain/refuse.ts';
import { fitElements, readMessages } from '../messages/pages.ts';
import { type AudienceContext, storedRequest, toTargeting } from './audience-request.ts';

/** Maximum users of one answer, which is encoded at once. */
const mostUsersAtOnce = 100_000;

const defaultPageSize = 1_000;
const exportedAtOnce = 2_000;
const listLimits = { usual: 100, most: 1_000 };

export type AudienceHandlersOptions = {
  db: Database;
  audiences: Audiences;
  environments: ReadonlyMap<string, ServingEnvironment>;
  configurations: ActiveConfigurations;
  limits: LimitSettings;
  servedCalls: ServedCalls;
  clock: () => number;
};

export function createAudienceHandlers(options: AudienceHandlersOptions) {
  const { db, audiences, environments, configurations, limits, servedCalls, clock } = options;
  const contextOf = (environment: string): AudienceContext => ({
    environment: environments.get(environment)!,
    configurations,
    limits,
    nowMs: clock(),
  });

  return implement(AudienceService, {
    async createAudience({ environment, audience }, call) {
      const request = audience!;
      const { settings } = environments.get(environment)!;
      if (request.audienceId) {
        const page = { audienceId: request.audienceId, offset: 0, limit: request.limit };
        const stored = await readPage(db, environment, page);
        if (!stored) {
          const detail = `There is no audience ${JSON.stringify(request.audienceId)}.`;
          refuse([{ pointer: '/audience/audience_id', detail }]);
        }
        servedCalls.count({ environment, kind: 'audience' });
        return { audience: pageMessage(stored!, call) };
      }
      const targeting = await toTargeting(request, contextOf(environment));
      const page = await audiences.create({
        ...targeting,
        audienceId: randomUUID(),
        audienceSize: request.audienceSize!,
        limit: Math.min(mostUsersAtOnce, request.limit ?? request.audienceSize!),
        lifetimeDays: settings.audiences.lifetimeDays,
      });
      servedCalls.count({ environment, kind: 'audience' });
      return { audience: pageMessage(page, call) };
    },
    async getAudience({ environment, audienceId, offset = 1, limit = defaultPageSize }, call) {
      const page = await readPage(db, environment, { audienceId, offset: offset - 1, limit });
      if (!page) throw unknownAudience(audienceId);
      return { audience: pageMessage(page, call) };
    },
    listAudiences: ({ environment, ...page }, call) =>
      readMessages('audiences', page, call, {
        kinds: ['number', 'string'],
        list: (limit, after) => listAudiences(db, environment, limit, after),
        keyOf: ({ createdAtUs, audienceId }) => [createdAtUs, audienceId],
        chosen: ['audiences', environment],
        limits: listLimits,
        schema: AudienceSchema,
        messageOf: summaryMessage,
      }),
    exportAudience: (requests) => exportAudience(db, requests),
    async explainAudienceUser({ environment, audience, id, userType = 'user_id' }) {
      const targeting = await toTargeting(audience!, contextOf(environment));
      const asked: Subject = { id, userType: userType as Subject['userType'] };
      const { absence, ...explanation } = await audiences.explain(targeting, asked);
      const parts = explanation.parts.map(({ evidence, ...part }) => ({ ...part, ...evidence }));
      const excluded = absence === 'present' ? '' : absence;
      return {
        explanation: { ...explanation, excluded, parts },
      };
    },
  });
}

async function* exportAudience(db: Database, requests: AsyncIterable<ExportAudienceRequest>) {
  for await (const { environment, audienceId, heldOut } of requests) {
    const audience = await findAudience(db, environment, audienceId);
    if (!audience) throw unknownAudience(audienceId);
    const count = heldOut ? audience.heldOutCount : audience.memberCount;
    for (let offset = 0; offset < count; offset += exportedAtOnce) {
      const page = { environment, audienceId, heldOut, offset, limit: exportedAtOnce };
      const users = (await listMembers(db, page)).map(memberOf).map(userMessage);
      yield { users };
    }
  }
}

type PageRange = { audienceId: string /** From 0. */; offset: number; limit: number | undefined };

async function readPage(
  db: Database,
  environment: string,
  { audienceId, offset, limit }: PageRange,
): Promise<AudiencePage | undefined> {
  const audience = await findAudience(db, environment, audienceId);
  if (!audience) return undefined;
  const count = Math.min(mostUsersAtOnce, limit ?? audience.memberCount, audience.memberCount - offset);
  const range = { environment, audienceId, heldOut: false, offset, limit: count };
  const members = count > 0 ? (await listMembers(db, range)).map(memberOf) : [];
  return { ...audience, audienceSize: audience.memberCount, members };
}

function unknownAudience(audienceId: string): DomainError {
  return notFound('AUDIENCE_UNKNOWN', 'audience', audienceId, { audience_id: audienceId });
}

function memberOf([subject, score]: MemberRow): AudienceMember {
  return { id: subject.slice(2), userType: subject.startsWith('u:') ? 'user_id' : 'device_id', score };
}

/** `limit` is the number of users, which may be lower than requested because of the size limit. */
function pageMessage({ members, ...audience }: AudiencePage, call: Call) {
  const users = fitElements(members, { schema: AudienceUserSchema, messageOf: userMessage, call });
  return { ...audienceMessage(audience), limit: users.length, users };
}

function audienceMessage({ expiresAt, ...audience }: Omit<AudiencePage, 'members'>) {
  const { audienceId, audienceName, audienceSize, integrationType, heldOutCount } = audience;
  return {
    audienceId,
    audienceName,
    audienceSize,
    integrationType,
    heldOutCount,
    expiresAt: timestampFromDate(expiresAt),
  };
}

function summaryMessage(audience: AudienceRow) {
  const { createdAt, memberCount } = audience;
  const page = audienceMessage({ ...audience, audienceSize: memberCount });
  return { ...page, createTime: timestampFromDate(createdAt), request: storedRequest(audience) };
}

const userMessage = ({ id, userType, score }: AudienceMember) => ({ id, userType, score });
