/** Rule sets as documents. The JSON paths keep their spelling and check the version. */

import { Code, ConnectError } from '@connectrpc/connect';
import { callUnaryMethod } from '@connectrpc/connect-query';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useRefresh } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import type { Document } from './document.ts';

const { rollBackConfiguration } = ConfigurationService.method;

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

export type Publication = {
  configurationId: string;
  document: Document;
  expectedVersion: number;
  comment: string;
  /** Scheduled versions to schedule again after the new version, which would replace them; oldest first. */
  kept?: readonly number[];
  /** A scheduled document with another start, stored after the new version. */
  moved?: Document;
};

/**
 * Publishes a document as a new version, unless the stored version has changed since.
 *
 * @param onPublished Called even if its dialog has been closed meanwhile.
 */
export function usePublish(onPublished: (stored: StoredDocument) => void) {
  const { connection } = useConsole();
  const refresh = useRefresh();
  const put = async ({
    configurationId,
    document,
    expectedVersion,
    comment,
  }: Publication): Promise<number> => {
    const condition: Record<string, string> =
      expectedVersion === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${expectedVersion}"` };
    const query = comment ? `?comment=${encodeURIComponent(comment)}` : '';
    const { etag } = await connection.fetchJson(pathOf(configurationId) + query, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...condition },
      body: JSON.stringify(document),
    });
    return etag ?? 0;
  };
  return useMutation({
    async mutationFn({ kept = [], moved, ...publication }: Publication): Promise<number> {
      const { configurationId, comment } = publication;
      const version = await put(publication);
      try {
        let newest = version;
        for (const keptVersion of kept) {
          const write = { configurationId, version: keptVersion, expectedVersion: newest, comment };
          newest = (await callUnaryMethod(connection.transport, rollBackConfiguration, write)).version;
        }
        if (moved) await put({ ...publication, document: moved, expectedVersion: newest });
      } catch (error) {
        const { code, rawMessage } = ConnectError.from(error);
        throw new ConnectError(
          `Version ${version} is published, but the schedule is lost. Restore it in Versions. ${rawMessage}`,
          code === Code.Aborted ? Code.FailedPrecondition : code,
        );
      }
      return version;
    },
    onSuccess: (version, { document }) => onPublished({ document, version }),
    ...refresh,
  });
}
