import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Button, Group, Paper, Skeleton, Table, Text, Title } from '@mantine/core';
import { Replace } from 'lucide-react';
import { useState } from 'react';
import type { Synonym } from '../../../../gen/es/personalisation/v1/synonym_pb.js';
import { SynonymService } from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { Empty } from '../../kit/empty.tsx';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { formatAgo } from '../../kit/format.ts';
import { momentOf } from '../../kit/timestamp.ts';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { addressOf, type DraftKey, draftLike } from './draft.ts';
import { Proposal } from './proposal.tsx';
import { text } from './text.ts';
import { Words } from './words.tsx';

/** Words that searches take for one another: proposed, tried on what was searched, kept; and those that are in force. */
export function Synonyms() {
  const { id = '', revision = '' } = useAddress<DraftKey>().values;
  return (
    <>
      {/* What was tried, or refused, of another one or before it was read again says nothing of this one. */}
      <Proposal key={`${revision} ${id}`} />
      <InForce />
    </>
  );
}

function InForce() {
  const { environment } = useConsole();
  const [leaving, setLeaving] = useState<Synonym>();
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    SynonymService.method.listSynonyms,
    { environment: environment.name, pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined },
  );
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Skeleton h={120} mt="xl" />;
  const synonyms = data.pages.flatMap((page) => page.synonyms);
  return (
    <section aria-label={text.inForce}>
      <Title order={2} mt="xl" mb="sm">
        {text.inForce}
      </Title>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {synonyms.length === 0 ? (
        <Empty icon={Replace} title={text.none}>
          {text.noneLead}
        </Empty>
      ) : (
        <Paper style={{ overflow: 'hidden' }}>
          <Table>
            <Table.Tbody>
              {synonyms.map((synonym) => (
                <SynonymRow key={synonym.synonymId} synonym={synonym} onLeave={() => setLeaving(synonym)} />
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
      {hasNextPage && (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {text.more}
        </Button>
      )}
      <DeleteDialog synonym={leaving} onClose={() => setLeaving(undefined)} />
    </section>
  );
}

function SynonymRow({ synonym, onLeave }: { synonym: Synonym; onLeave(): void }) {
  const { set } = useAddress<DraftKey>();
  const written = momentOf(synonym.updateTime);
  return (
    <Table.Tr>
      <Table.Td>
        <Words synonym={synonym} />
        {written && (
          <Text size="xs" className="quiet">
            {formatAgo(written)}
          </Text>
        )}
      </Table.Td>
      <Table.Td w={1}>
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => set(addressOf(draftLike(synonym)), true)}
          >
            {text.change}
          </Button>
          <Button variant="default" size="compact-xs" onClick={onLeave}>
            {text.remove}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
