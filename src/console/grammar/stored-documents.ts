/** Rule sets as documents. The JSON paths keep their spelling and check the version. */

import { useMutation, useQuery } from '@tanstack/react-query';
import { useRefresh } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import type { Document } from './document.ts';

const pathOf = (configurationId: string): string => `/configurations/${encodeURIComponent(configurationId)}`;

export type StoredDocument = { document: Document; version: number };

export function useConfigurationDocument(configurationId: string, isEnabled = true) {
  const { connection } = useConsole();
  return useQuery({
    queryKey: ['configuration', configurationId],
    enabled: isEnabled,
    queryFn: async (): Promise<StoredDocument> => {
      const { body, etag } = await connection.fetchJson(pathOf(configurationId));
      return { document: body as Document, version: etag ?? 0 };
    },
  });
}

/** Versions never change. */
export function useDocumentVersion(configurationId: string, version: number) {
  const { connection } = useConsole();
  return useQuery({
    queryKey: ['configuration', configurationId, version],
    enabled: version > 0,
    queryFn: async () =>
      (await connection.fetchJson(`${pathOf(configurationId)}?version=${version}`)).body as Document,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

type Publication = {
  configurationId: string;
  document: Document;
  expectedVersion: number;
  comment: string;
  /** Whether scheduled versions that it would replace stay scheduled. */
  keepScheduled?: boolean;
  /** New start of the next one. */
  scheduledStart?: string;
};

/**
 * Publishes a document as a new version, unless the stored version has changed since.
 *
 * @param onPublished Called even if its dialog has been closed meanwhile.
 */
export function usePublish(onPublished: (stored: StoredDocument) => void) {
  const { connection } = useConsole();
  const refresh = useRefresh();
  return useMutation({
    async mutationFn({ configurationId, document, expectedVersion, ...publication }: Publication) {
      const { comment, keepScheduled, scheduledStart } = publication;
      const query = new URLSearchParams();
      if (comment) query.set('comment', comment);
      if (keepScheduled) query.set('keep_scheduled', 'true');
      if (scheduledStart) query.set('scheduled_start', scheduledStart);
      const condition: Record<string, string> =
        expectedVersion === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${expectedVersion}"` };
      const { etag } = await connection.fetchJson(`${pathOf(configurationId)}?${query}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...condition },
        body: JSON.stringify(document),
      });
      return etag ?? 0;
    },
    onSuccess: (version, { document }) => onPublished({ document, version }),
    ...refresh,
  });
}
