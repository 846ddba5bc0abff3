/** The draft of a rule set at the service, which all of its editors share. */

import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import {
  type ConfigurationDraft,
  ConfigurationService,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document } from '../../grammar/document.ts';
import type { StoredDocument } from '../../grammar/stored-documents.ts';
import { isNotFound } from '../../kit/queries.ts';
import { useConsole } from '../../service/console-context.ts';

/** `version` is the one that the draft changes. */
export type SharedDraft = StoredDocument & {
  revision: number;
  clientId: string;
  /** Name or ID of the latest author. */
  author: string;
  /** Note to the publisher; undefined if it is not proposed. */
  proposal?: string;
  /** Whether this client saved it, in any tab. */
  isOwn: boolean;
  savedAt: Date;
  /** The exact text, if this tab saved it. */
  text?: string;
};

const keyOf = (configurationId: string) => ['draft', configurationId];
const pathOf = (configurationId: string) => `/configurations/${encodeURIComponent(configurationId)}/draft`;

const headOf = ({
  revision,
  baseVersion,
  clientId,
  clientName,
  updateTime,
  proposal,
}: ConfigurationDraft) => ({
  ...{ revision, version: baseVersion, clientId, author: clientName || clientId, proposal },
  savedAt: timestampDate(updateTime!),
});

/** Reads the draft; null without one. */
export function useSharedDraft(configurationId: string, isEnabled: boolean) {
  const { connection, session } = useConsole();
  return useQuery({
    queryKey: keyOf(configurationId),
    enabled: isEnabled,
    staleTime: 0,
    refetchOnWindowFocus: true,
    async queryFn(): Promise<SharedDraft | null> {
      const service = createClient(ConfigurationService, connection.transport);
      const [draft] = (await service.listConfigurationDrafts({ configurationId })).drafts;
      if (!draft) return null;
      const isOwn = draft.clientId === session.clientId;
      return { ...headOf(draft), isOwn, document: draft.document as Document };
    },
  });
}

type Change = {
  text: string;
  /** Undefined to delete the draft. */
  document: Document | undefined;
  version: number;
  /** Revision that it replaces; 0 for none. */
  revision: number;
  /** Proposes the draft, with a note. */
  proposal?: string;
};

const pauseMs = 1_000;
const retryMs = 5_000;

/** Failures that may pass without another change. */
const isPassing = (error: Error | null): boolean =>
  error !== null && [Code.Unavailable, Code.ResourceExhausted].includes(ConnectError.from(error).code);

/** Saves a changed draft after a pause in typing, and at once when its page is left. */
export function useSharing(
  configurationId: string,
  shared: SharedDraft | null | undefined,
  change: Change & { canSave: boolean },
): { error?: Error } {
  const save = useSave(configurationId);
  const { mutate, error, isPending } = save;
  const isConflict = error !== null && ConnectError.from(error).code === Code.Aborted;
  const latest = useRef(change);
  latest.current = change;
  const { canSave, text } = change;
  const isDue =
    canSave && !isPending && (!error || isPassing(error) || save.variables?.text !== text || isConflict);
  const usualMs = change.document ? pauseMs : 0;
  const waitMs = isPassing(error) ? retryMs : usualMs;
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the text or of the service's draft waits again
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(() => mutate(latest.current), waitMs);
    return () => clearTimeout(timer);
  }, [isDue, text, shared, waitMs, mutate]);
  useEffect(
    () => () => {
      if (latest.current.canSave) mutate(latest.current);
    },
    [mutate],
  );
  return { error: error && !isConflict ? error : undefined };
}

export function useSave(configurationId: string) {
  const { connection, session } = useConsole();
  const queryClient = useQueryClient();
  const queryKey = keyOf(configurationId);
  return useMutation({
    /** One after the other. */
    scope: { id: queryKey.join(' ') },
    async mutationFn({ text, document, version, revision, proposal }: Change): Promise<SharedDraft | null> {
      const known = queryClient.getQueryData<SharedDraft>(queryKey);
      const expected = known?.text === undefined ? revision : Math.max(known.revision, revision);
      const condition: Record<string, string> =
        expected === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${expected}"` };
      if (!document) {
        const request = { method: 'DELETE', headers: condition, keepalive: true };
        await connection.fetchJson(pathOf(configurationId), request).catch((error) => {
          if (!isNotFound(error)) throw error;
        });
        return null;
      }
      const { etag } = await connection.fetchJson(pathOf(configurationId), {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...condition },
        body: JSON.stringify({ base_version: version, document, proposal }),
      });
      const { clientId, name: author = clientId } = session;
      const head = {
        version,
        revision: etag ?? 0,
        clientId,
        author,
        proposal,
        isOwn: true,
        savedAt: new Date(),
      };
      return { ...head, text, document };
    },
    async onSuccess(draft) {
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, draft);
      await queryClient.invalidateQueries({ queryKey: ['drafts'] });
    },
    async onError() {
      await queryClient.invalidateQueries({ queryKey });
    },
  });
}

export type DraftHeads = ReadonlyMap<string, ReturnType<typeof headOf>>;

/** Reads the drafts that the client may edit, by ID. */
export function useDraftHeads() {
  const { connection, environment } = useConsole();
  return useQuery({
    queryKey: ['drafts', environment.name],
    staleTime: 0,
    async queryFn(): Promise<DraftHeads> {
      const service = createClient(ConfigurationService, connection.transport);
      const heads = new Map<string, ReturnType<typeof headOf>>();
      let pageToken = '';
      do {
        const { drafts, nextPageToken } = await service.listConfigurationDrafts({ pageToken });
        for (const draft of drafts)
          if (draft.environments.length === 0 || draft.environments.includes(environment.name))
            heads.set(draft.configurationId, headOf(draft));
        pageToken = nextPageToken;
      } while (pageToken);
      return heads;
    },
  });
}
