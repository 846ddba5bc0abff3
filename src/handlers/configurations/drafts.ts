/** Operations of drafts, for callers that may write both the configuration and the draft. */

import type { JsonObject } from '@bufbuild/protobuf';
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  ConfigurationDraftSchema,
  type ConfigurationService,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { DomainError } from '../../errors.ts';
import { insertAuditEntry } from '../../repository/audit/audit-entries.ts';
import {
  type DraftComment,
  deleteDraftComment,
  insertDraftComment,
  listDraftComments,
} from '../../repository/configurations/draft-comments.ts';
import {
  type DraftHead,
  deleteDraft,
  findDraft,
  listDraftHeads,
  saveDraft,
} from '../../repository/configurations/drafts.ts';
import type { Database } from '../../repository/database.ts';
import { writeConflict } from '../../repository/failures.ts';
import { storable } from '../../repository/storable.ts';
import type { PreviewTokens } from '../../security/jwt/tokens.ts';
import type { Call } from '../chain/call.ts';
import type { HandlersOf } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { belongsTo, environmentsOf } from '../messages/environments-of.ts';
import { readMessages } from '../messages/pages.ts';
import type { ConfigurationCheck } from './configuration-check.ts';
import { parseDraft } from './previewed-drafts.ts';
import { mayWrite, requireWrite } from './reach.ts';
import type { ConfigurationReplica } from './replica/configuration-replica.ts';

const pageLimits = { usual: 1_000, most: 1_000 };
/** Most drafts of an environment, and of those for all environments. */
const mostDrafts = 500;
const mostComments = 100;

export type DraftHandlersOptions = {
  db: Database;
  replica: ConfigurationReplica;
  previewTokens: Pick<PreviewTokens, 'issue'>;
  clock: () => number;
};

/** Reads drafts for callers that may edit them. */
function createReading({ db, replica }: Pick<DraftHandlersOptions, 'db' | 'replica'>) {
  const reachesOf = (configurationId: string, draft?: DraftHead) => [
    ...replica.reaches(configurationId),
    ...(draft ? [draft.environments] : []),
  ];
  const isEditable = (call: Call, draft: DraftHead) =>
    reachesOf(draft.configurationId, draft).every((environments) => mayWrite(call, environments));
  const findReadable = async (call: Call, configurationId: string) => {
    call.holdsOneElement = true;
    const draft = await findDraft(db, configurationId);
    if (!draft || !isEditable(call, draft)) return undefined;
    return { ...headMessage(draft), document: draft.document as JsonObject };
  };
  return { reachesOf, isEditable, findReadable };
}

export function createDraftHandlers(options: DraftHandlersOptions, check: ConfigurationCheck) {
  const { db } = options;
  const { reachesOf, isEditable, findReadable } = createReading(options);
  /** Returns the stored draft after checks of rights and revision. */
  const findExpected = async (call: Call, configurationId: string, expected: number | undefined) => {
    const stored = await findDraft(db, configurationId);
    for (const environments of reachesOf(configurationId, stored)) requireWrite(call, environments);
    const current = stored?.revision ?? 0;
    const isExpected = expected === undefined || expected === current || (expected === -1 && current > 0);
    if (!isExpected) throw conflict(configurationId, current, expected);
    return stored;
  };

  return {
    async listConfigurationDrafts({ configurationId, ...page }, call) {
      if (configurationId !== undefined) {
        const draft = await findReadable(call, configurationId);
        return { drafts: draft ? [draft] : [] };
      }
      const listed = await readMessages('drafts', page, call, {
        kinds: ['string'],
        list: (limit, after) => listDraftHeads(db, limit, after?.[0]),
        keyOf: ({ configurationId }) => [configurationId],
        chosen: ['configuration-drafts'],
        limits: pageLimits,
        schema: ConfigurationDraftSchema,
        messageOf: (draft: DraftHead) => (isEditable(call, draft) ? headMessage(draft) : {}),
      });
      return { ...listed, drafts: listed.drafts.filter(({ revision }) => revision > 0) };
    },
    async getConfigurationDraft({ configurationId }, call) {
      const draft = await findReadable(call, configurationId);
      if (!draft) throw noDraft(configurationId);
      return { draft };
    },
    async putConfigurationDraft({ configurationId, document = {}, baseVersion = 0, ...request }, call) {
      const environments = environmentsOf(document).map(storable);
      requireWrite(call, environments);
      const stored = await findExpected(call, configurationId, request.expectedRevision);
      const proposal = request.proposal ?? null;
      const write = { configurationId, baseVersion, environments, document, proposal };
      const actor = actorOf(call);
      const limits = { revision: stored?.revision ?? 0, most: mostDrafts };
      const saved = await saveDraft(db, { ...write, ...actor }, limits);
      if (!saved) {
        const present = await revisionNow(db, configurationId);
        if (present !== limits.revision) throw conflict(configurationId, present, limits.revision);
        refuse([{ pointer: '', detail: `There are ${mostDrafts} drafts; publish or delete one first.` }]);
      }
      return { draft: headMessage({ ...write, ...saved!, clientId: actor.clientId ?? null }) };
    },
    async deleteConfigurationDraft({ configurationId, expectedRevision }, call) {
      const stored = await findExpected(call, configurationId, expectedRevision);
      if (!stored) throw noDraft(configurationId);
      if (!(await deleteDraft(db, stored, actorOf(call))))
        throw conflict(configurationId, await revisionNow(db, configurationId), stored.revision);
      return {};
    },
    createPreviewToken: createTokenMaking(options, check, findReadable),
  } satisfies Partial<HandlersOf<typeof ConfigurationService>>;
}

/** Comments on drafts, for callers that may edit the draft; authors delete their own. */
export function createDraftCommentHandlers(options: Pick<DraftHandlersOptions, 'db' | 'replica'>) {
  const { db } = options;
  const { isEditable } = createReading(options);
  const hasDraft = async (call: Call, configurationId: string) => {
    const draft = await findDraft(db, configurationId);
    return draft !== undefined && isEditable(call, draft);
  };
  const requireDraft = async (call: Call, configurationId: string) => {
    if (!(await hasDraft(call, configurationId))) throw noDraft(configurationId);
  };
  return {
    async listDraftComments({ configurationId }, call) {
      if (!(await hasDraft(call, configurationId))) return {};
      return { comments: (await listDraftComments(db, configurationId)).map(commentMessage) };
    },
    async createDraftComment({ configurationId, text }, call) {
      await requireDraft(call, configurationId);
      const { clientId } = actorOf(call);
      const made = { configurationId, clientId, text: storable(text) };
      const commentId = await insertDraftComment(db, made, mostComments);
      const comments = await listDraftComments(db, configurationId);
      const comment = comments.find((one) => one.commentId === commentId);
      if (!comment && comments.length < mostComments) throw noDraft(configurationId);
      const detail = `The draft has ${mostComments} comments; delete one first.`;
      if (!comment) refuse([{ pointer: '', detail }]);
      return { comment: commentMessage(comment!) };
    },
    async deleteDraftComment({ configurationId, commentId }, call) {
      await requireDraft(call, configurationId);
      const clientId = actorOf(call).clientId ?? '';
      const named = { configurationId, commentId: storable(commentId), clientId };
      if (await deleteDraftComment(db, named)) return {};
      const message = `You have no comment ${JSON.stringify(commentId)} on this draft.`;
      throw new DomainError('CONFIGURATION_UNKNOWN', message, { metadata: metadataOf(configurationId) });
    },
  } satisfies Partial<HandlersOf<typeof ConfigurationService>>;
}

const commentMessage = ({ commentId, clientId, clientName, text, createdAt }: DraftComment) => ({
  ...{ commentId, text, clientId: clientId ?? '', clientName: clientName ?? '' },
  createTime: timestampFromDate(createdAt),
});

function createTokenMaking(
  { db, previewTokens, clock }: Pick<DraftHandlersOptions, 'db' | 'previewTokens' | 'clock'>,
  check: ConfigurationCheck,
  findReadable: ReturnType<typeof createReading>['findReadable'],
): HandlersOf<typeof ConfigurationService>['createPreviewToken'] {
  return async ({ configurationId, environment, revision, lifetimeMinutes = 1_440 }, call) => {
    const draft = await findReadable(call, configurationId);
    if (!draft) throw noDraft(configurationId);
    if (!belongsTo(environmentsOf(draft.document), environment))
      refuse([{ pointer: '/configuration_id', detail: `The draft does not belong to ${environment}.` }]);
    if (revision !== undefined && revision !== draft.revision)
      throw conflict(configurationId, draft.revision, revision);
    parseDraft(draft.document, check);
    const lifetimeSeconds = lifetimeMinutes * 60;
    await insertAuditEntry(db, {
      ...{
        ...actorOf(call),
        action: 'configurations.preview',
        resource: `configurations/${configurationId}`,
      },
      ...{ environment, after: { revision: revision ?? draft.revision, lifetime_minutes: lifetimeMinutes } },
    });
    const token = await previewTokens.issue({ environment, configurationId, revision }, lifetimeSeconds);
    return { token, expireTime: timestampFromMs(clock() + lifetimeSeconds * 1_000) };
  };
}

const headMessage = ({ clientId, clientName, proposal, updatedAt, ...head }: DraftHead) => ({
  ...{ ...head, document: undefined, clientId: clientId ?? '', clientName: clientName ?? '' },
  proposal: proposal ?? undefined,
  updateTime: timestampFromDate(updatedAt),
});

const revisionNow = async (db: Database, id: string) => (await findDraft(db, id))?.revision ?? 0;

const metadataOf = (configurationId: string) => ({ configuration_id: configurationId });

const conflict = (configurationId: string, current: number, expected: number) =>
  writeConflict(
    `The draft of ${JSON.stringify(configurationId)} is`,
    'revision',
    { current, expected },
    metadataOf(configurationId),
  );

const noDraft = (configurationId: string) =>
  new DomainError('CONFIGURATION_UNKNOWN', `There is no draft of ${JSON.stringify(configurationId)}.`, {
    metadata: metadataOf(configurationId),
  });
