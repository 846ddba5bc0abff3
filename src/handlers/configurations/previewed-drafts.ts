/** Serves stored drafts in place of live configurations to requests with a token for previews. */

import {
  type Configuration,
  ConfigurationSchema,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import { readPatienceMs } from '../../deployment/patience.ts';
import { decodeJson } from '../../formats/codec.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import { createCache } from '../../ranking/runtime/cache.ts';
import { withinTime } from '../../ranking/runtime/within-time.ts';
import { findDraft } from '../../repository/configurations/drafts.ts';
import type { Database } from '../../repository/database.ts';
import type { PreviewTokens } from '../../security/jwt/tokens.ts';
import { refuse } from '../chain/refuse.ts';
import { documentOf } from '../messages/documents.ts';
import { belongsTo, environmentsOf } from '../messages/environments-of.ts';
import type { ApplyPreview, Drafts } from '../messages/preview.ts';
import { type ConfigurationCheck, createConfigurationCheck } from './configuration-check.ts';

export type PreviewedDraftsOptions = {
  db: Database;
  deployment: Deployment;
  tokens: Pick<PreviewTokens, 'verify'>;
};

/** A draft is read once in this time, however many requests there are. */
const freshMs = 1_000;
/** Of all kept drafts, in characters of their JSON; a longer draft is read for every request. */
const mostKeptCharacters = 1_000_000;

export function createPreviewedDrafts({ db, deployment, tokens }: PreviewedDraftsOptions): ApplyPreview {
  const check = createConfigurationCheck(deployment);
  const known = createCache<{ reading: ReturnType<typeof read>; characters: number }>({
    maxBytes: mostKeptCharacters,
    bytesOf: ({ characters }) => characters,
    lifetimeMs: freshMs,
  });
  const read = async (id: string) => {
    const draft = await findDraft(db, id);
    if (!draft) return undefined;
    const { revision, document } = draft;
    return { revision, document, drafts: new Map([[id, parseDraft(document, check)]]) };
  };
  /** Concurrent requests share a reading, whose length is known at its end. */
  const readOnce = async (id: string) => {
    const kept = known.get(id);
    if (kept) return kept.reading;
    const reading = read(id);
    known.set(id, { reading, characters: 0 });
    const draft = await reading;
    known.set(id, { reading, characters: JSON.stringify(draft?.document ?? null).length });
    return draft;
  };
  const find = async (environment: string, token: string): Promise<Drafts | undefined> => {
    const previewed = await tokens.verify(token);
    if (previewed?.environment !== environment) return undefined;
    const { configurationId, revision } = previewed;
    const draft = await readOnce(configurationId);
    if (!draft || !belongsTo(environmentsOf(draft.document), environment)) return undefined;
    return revision === undefined || revision === draft.revision ? draft.drafts : undefined;
  };

  return async (given, settings) => {
    const { preview: token, doNotStore } = given;
    if (token === undefined) return { request: given };
    const drafts = await withinTime(readPatienceMs(settings), find(settings.name, token));
    const request = { ...given, preview: undefined, doNotStore: drafts ? true : doNotStore };
    return { request, drafts, preview: drafts ? 'draft' : 'ignored' };
  };
}

/** @throws BODY_INVALID with pointers into the document */
export function parseDraft(document: unknown, check: ConfigurationCheck): ActiveConfiguration {
  const { message, violations } = decodeJson(ConfigurationSchema, document);
  refuse(violations);
  return activeDraft(message, check, document);
}

/** Drafts have no version. */
export const activeDraft = (
  draft: Configuration,
  check: ConfigurationCheck,
  document: unknown = documentOf(ConfigurationSchema, draft),
) => ({ ...check(draft, document), version: 0 });
