/** Configurations as documents: read and written by the documented paths, which keep the spelling and ask for the version. */

import { useMutation, useQuery } from '@tanstack/react-query';
import { useRefresh } from '../kit/refresh.ts';
import { useConsole } from '../service/console-context.ts';
import type { Document } from './document.ts';

const pathOf = (configurationId: string): string => `/configurations/${encodeURIComponent(configurationId)}`;

const documentKey = (configurationId: string) => ['configuration', configurationId];

export type StoredDocument = { document: Document; version: number };

export function useConfigurationDocument(configurationId: string, isEnabled = true) {
  const { connection } = useConsole();
  return useQuery({
    queryKey: documentKey(configurationId),
    enabled: isEnabled,
    queryFn: async (): Promise<StoredDocument> => {
      const { body, etag } = await connection.fetchJson(pathOf(configurationId));
      return { document: body as Document, version: etag ?? 0 };
    },
  });
}

export type Publication = {
  configurationId: string;
  document: Document;
  expectedVersion: number;
  comment: string;
};

/**
 * Writes a document as a new version, unless somebody else has written one since.
 *
 * @param onPublished Told also when whoever asked for it looks elsewhere by then.
 */
export function usePublish(onPublished: (stored: StoredDocument) => void) {
  const { connection } = useConsole();
  const refresh = useRefresh();
  return useMutation({
    async mutationFn({ configurationId, document, expectedVersion, comment }: Publication): Promise<number> {
      const condition: Record<string, string> =
        expectedVersion === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${expectedVersion}"` };
      const query = comment ? `?comment=${encodeURIComponent(comment)}` : '';
      const { etag } = await connection.fetchJson(pathOf(configurationId) + query, {
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
