/** Operations of drafts. Who may write both the configuration and the draft may read and write it. */

import type { JsonObject } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  ConfigurationDraftSchema,
  type ConfigurationService,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { DomainError } from '../../errors.ts';
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
import type { Call } from '../chain/call.ts';
import type { HandlersOf } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { environmentsOf } from '../messages/environments-of.ts';
import { readMessages } from '../messages/pages.ts';
import { mayWrite, requireWrite } from './reach.ts';
import type { ConfigurationReplica } from './replica/configuration-replica.ts';

const pageLimits = { usual: 1_000, most: 1_000 };
/** Of an environment, and of those for all environments. */
const mostDrafts = 500;
const mostComments = 100;

type DraftsOptions = { db: Database; replica: ConfigurationReplica };

/** Environments of a configuration and its draft, and whether a caller may edit all of them. */
function createRights(replica: ConfigurationReplica) {
  const reachesOf = (configurationId: string, draft?: DraftHead) => [
    ...replica.reaches(configurationId),
    ...(draft ? [draft.environments] : []),
  ];
  const isEditable = (call: Call, draft: DraftHead) =>
    reachesOf(draft.configurationId, draft).every((environments) => mayWrite(call, environments));
  return { reachesOf, isEditable };
}

export function createDraftHandlers({ db, replica }: DraftsOptions) {
  const { reachesOf, isEditable } = createRights(replica);
  const findReadable = async (call: Call, configurationId: string) => {
    call.holdsOneElement = true;
    const draft = await findDraft(db, configurationId);
    if (!draft || !isEditable(call, draft)) return undefined;
    return { ...headMessage(draft), document: draft.document as JsonObject };
  };
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
      const { messages, nextPageToken } = await readMessages(page, call, {
        kinds: ['string'],
        list: (limit, after) => listDraftHeads(db, limit, after?.[0]),
        keyOf: ({ configurationId }) => [configurationId],
        chosen: ['configuration-drafts'],
        limits: pageLimits,
        schema: ConfigurationDraftSchema,
        messageOf: (draft: DraftHead) => (isEditable(call, draft) ? headMessage(draft) : {}),
      });
      return { drafts: messages.filter(({ revision }) => revision > 0), nextPageToken };
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
  } satisfies Partial<HandlersOf<typeof ConfigurationService>>;
}

/** Comments on drafts, for callers that may edit the draft; authors delete their own. */
export function createDraftCommentHandlers({ db, replica }: DraftsOptions) {
  const { isEditable } = createRights(replica);
  const requireDraft = async (call: Call, configurationId: string) => {
    const draft = await findDraft(db, configurationId);
    if (!draft || !isEditable(call, draft)) throw noDraft(configurationId);
  };
  return {
    async listDraftComments({ configurationId }, call) {
      await requireDraft(call, configurationId);
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
