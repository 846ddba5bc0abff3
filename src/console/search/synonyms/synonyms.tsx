import { useInfiniteQuery, useMutation } from '@connectrpc/connect-query';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Synonym } from '../../../../gen/es/personalisation/v1/synonym_pb.js';
import { SynonymService } from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { momentOf } from '../../kit/format.ts';
import { Replace } from '../../kit/icons.ts';
import { Empty, ErrorNotice, Heading, Hint, Loading } from '../../kit/page.tsx';
import { byPageToken, useRefresh } from '../../kit/queries.ts';
import { Ago, DataTable, MoreButton, TablePaper } from '../../kit/table.tsx';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import { addressOf, type DraftKey, draftLike } from './draft.ts';
import { Editor } from './editor.tsx';

/** Editor of a synonym, which tries it on recent queries, and the live synonyms. */
export function Synonyms() {
  const { id = '', revision = '' } = useAddress<DraftKey>().values;
  const { mayChange } = useConsole();
  return (
    <>
      {/* Results and errors belong to one synonym and revision. */}
      {mayChange('configurations', 'publish') && <Editor key={`${revision} ${id}`} />}
      <LiveSynonyms />
    </>
  );
}

function LiveSynonyms() {
  const { environment, mayChange } = useConsole();
  const { set } = useAddress<DraftKey>();
  const mayPublish = mayChange('configurations', 'publish');
  const [deleting, setDeleting] = useState<Synonym>();
  const pages = useInfiniteQuery(
    SynonymService.method.listSynonyms,
    { environment: environment.name, pageToken: '' },
    byPageToken,
  );
  const { data, error, refetch } = pages;
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Loading h={120} mt="xl" />;
  const synonyms = data.pages.flatMap((page) => page.synonyms);
  const actionsOf = (synonym: Synonym) => (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button variant="default" size="compact-xs" onClick={() => set(addressOf(draftLike(synonym)), true)}>
        {t('Edit')}
      </Button>
      <Button variant="default" size="compact-xs" onClick={() => setDeleting(synonym)}>
        {t('Delete')}
      </Button>
    </Group>
  );
  return (
    <section aria-label={t('Live synonyms')} style={{ marginTop: 32 }}>
      <Heading title={t('Live synonyms')} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {synonyms.length === 0 ? (
        <Empty icon={Replace} title={t('No synonyms yet')}>
          {t('Add one above. Synonyms of the deployment file apply too, and are not listed.')}
        </Empty>
      ) : (
        <TablePaper>
          <DataTable
            rows={synonyms}
            keyOf={({ synonymId = '' }) => synonymId}
            columns={[
              {
                label: t('Synonym'),
                cell: (synonym) => (
                  <>
                    <Words synonym={synonym} />
                    <Hint>
                      <Ago time={momentOf(synonym.updateTime)} />
                    </Hint>
                  </>
                ),
              },
              ...(mayPublish ? [{ label: t('Actions'), isActions: true, width: 1, cell: actionsOf }] : []),
            ]}
          />
        </TablePaper>
      )}
      <MoreButton pages={pages} />
      <DeleteDialog synonym={deleting} onClose={() => setDeleting(undefined)} />
    </section>
  );
}

function DeleteDialog({ synonym, onClose }: { synonym?: Synonym; onClose(): void }) {
  const { environment } = useConsole();
  const remove = useMutation(SynonymService.method.deleteSynonym, { onSuccess: onClose, ...useRefresh() });
  const { synonymId, revision: expectedRevision } = synonym ?? {};
  return (
    <ConfirmDialog
      isOpen={synonym !== undefined}
      title={t('Delete this synonym?')}
      confirm={t('Delete')}
      mutation={remove}
      onConfirm={() => remove.mutate({ environment: environment.name, synonymId, expectedRevision })}
      onClose={onClose}
    >
      {synonym && <Words synonym={synonym} />}
      {t('From the next search on, each word finds only items that contain it.')}
    </ConfirmDialog>
  );
}

/** `a = b`, or `a → b` for a one-way synonym. */
function Words({ synonym: { words, from, to } }: { synonym: Synonym }) {
  return (
    <Text size="sm">
      <bdi>{words.length > 0 ? words.join(' = ') : from.join(', ')}</bdi>
      {to.length > 0 && (
        <>
          {' → '}
          <bdi>{to.join(', ')}</bdi>
        </>
      )}
    </Text>
  );
}
