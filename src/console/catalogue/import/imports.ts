/** Imports of the environment: jobs of the service, which continue when the page is left. */

import { createClient } from '@connectrpc/connect';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Import, ImportState } from '../../../../gen/es/personalisation/v1/import_pb.js';
import { ImportService } from '../../../../gen/es/personalisation/v1/import_service_pb.js';
import { saveText } from '../../kit/files.ts';
import { useRead } from '../../kit/queries.ts';
import { useConsole } from '../../service/console-context.ts';
import { readParts, uploadedFormat } from './read-file.ts';

const { method } = ImportService;
const busyMs = 700;
const idleMs = 15_000;

export const isUnderWay = ({ state }: Import): boolean =>
  state === ImportState.QUEUED || state === ImportState.RUNNING;

/** Mutations that upload a file, which ends with the tab. */
export const uploading = ['upload import'];

/** The newest imports, also those of other people. */
export function useImports() {
  const { can } = useConsole();
  return useRead(
    method.listImports,
    { pageSize: 10 },
    {
      enabled: can('items'),
      select: ({ imports }) => imports.filter(({ startTime }) => startTime !== undefined),
      refetchInterval: ({ state }) => (state.data?.imports.some(isUnderWay) ? busyMs : idleMs),
    },
  );
}

/** The latest import of a file with these columns; null while there is none. */
export function useFormerImport(columns: readonly string[]) {
  return useRead(
    method.listImports,
    { columns: [...columns], pageSize: 1 },
    {
      enabled: columns.length > 0,
      staleTime: Number.POSITIVE_INFINITY,
      select: ({ imports }) => imports[0] ?? null,
    },
  );
}

export function useImport(importId: string | undefined) {
  return useRead(
    method.getImport,
    { importId },
    {
      enabled: importId !== undefined,
      refetchInterval: ({ state }) => (state.data?.import && isUnderWay(state.data.import) ? busyMs : false),
      select: ({ import: found }) => found!,
    },
  );
}

export type Upload = { file: File; encoding: string | undefined; columns: readonly string[] };
type Start = { upload: Upload | undefined; importId?: string; mapping: string; validateOnly: boolean };

/** Starts an import, after the upload of its file unless it has an ID. Returns the ID. */
export function useStart() {
  const { connection, environment } = useConsole();
  const queryClient = useQueryClient();
  const client = createClient(ImportService, connection.transport);
  const name = environment.name;
  return useMutation({
    mutationKey: uploading,
    async mutationFn({ upload, importId, mapping, validateOnly }: Start): Promise<string> {
      const stored = importId ? (await client.getImport({ environment: name, importId })).import! : undefined;
      const isLost = stored !== undefined && stored.expiresAt === undefined;
      if (stored && (!isLost || !upload)) {
        const { partCount } = stored;
        await client.startImport({ environment: name, importId, partCount, mapping, validateOnly });
        return stored.importId;
      }
      const { file, encoding, columns } = upload!;
      const given = { fileName: file.name, format: uploadedFormat(file), columns: [...columns] };
      const { importId: made } = (await client.createImport({ environment: name, import: given })).import!;
      let partCount = 0;
      for await (const content of readParts(file, encoding))
        await client.uploadImportPart({ environment: name, importId: made, part: partCount++, content });
      await client.startImport({ environment: name, importId: made, partCount, mapping, validateOnly });
      return made;
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
}

export function useCancel() {
  const { connection, environment } = useConsole();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (importId: string) =>
      createClient(ImportService, connection.transport).cancelImport({
        environment: environment.name,
        importId,
      }),
    onSettled: () => queryClient.invalidateQueries(),
  });
}

/** Saves the rejected records as a file. */
export function useExport() {
  const { connection, environment } = useConsole();
  return useMutation({
    async mutationFn({ importId, fileName }: Import) {
      const client = createClient(ImportService, connection.transport);
      const lines: string[] = [];
      let type = '';
      for await (const part of client.exportRejectedRecords({ environment: environment.name, importId })) {
        type ||= part.contentType;
        for (const line of part.lines) lines.push(`${line}\n`);
      }
      saveText(`${fileName}.rejected.${type === 'text/csv' ? 'csv' : 'ndjson'}`, lines, type);
    },
  });
}
