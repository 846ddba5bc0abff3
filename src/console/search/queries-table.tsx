import { useQuery } from '@connectrpc/connect-query';
import { Box, Button, Group, Paper, Skeleton, Switch, Table, Text } from '@mantine/core';
import { SearchX } from 'lucide-react';
import { Link } from 'wouter';
import { SearchService } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCount, formatShare } from '../kit/format.ts';
import { momentOf } from '../kit/timestamp.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const mostShown = 200;

/** What is searched for, and what finds nothing; each is tried with a click. */
export function Queries() {
  const { environment, can } = useConsole();
  const { values, set } = useAddress<'without'>();
  const withoutResults = values.without === '1';
  const { data, error, refetch } = useQuery(SearchService.method.listSearchQueries, {
    environment: environment.name,
    withoutResults,
    pageSize: mostShown,
  });
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <section aria-label={text.frequent}>
      <Group justify="space-between" mb="sm">
        <Text size="sm" className="quiet">
          {text.frequentLead}
        </Text>
        <Switch
          label="Only those that find nothing"
          checked={withoutResults}
          onChange={(event) => set({ without: event.currentTarget.checked ? '1' : '' })}
        />
      </Group>
      {!data && <Skeleton h={240} />}
      {data?.queries.length === 0 && (
        <Empty icon={SearchX} title={text.noQueries}>
          {text.noQueriesLead}
        </Empty>
      )}
      {data && data.queries.length > 0 && (
        <Paper style={{ overflow: 'hidden' }}>
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Query</Table.Th>
                <Table.Th ta="end">Searches</Table.Th>
                <Table.Th w="25%">Found nothing</Table.Th>
                <Table.Th visibleFrom="sm">Last</Table.Th>
                {can('configurations') && <Table.Th visibleFrom="sm" />}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.queries.map(({ query, searches, withoutResults: failed, lastSearchedAt }) => {
                const last = momentOf(lastSearchedAt);
                return (
                  <Table.Tr key={query}>
                    <Table.Td miw={110}>
                      <TryLink query={query} />
                      {can('configurations') && failed > 0 && (
                        <Box hiddenFrom="sm" mt={4}>
                          <Propose query={query} />
                        </Box>
                      )}
                    </Table.Td>
                    <Table.Td ta="end" className="numbers">
                      {formatCount(searches)}
                    </Table.Td>
                    <Table.Td>
                      <Group gap="xs" wrap="nowrap">
                        <Box
                          visibleFrom="sm"
                          h={6}
                          flex={1}
                          bg="var(--line)"
                          style={{ borderRadius: 3, overflow: 'hidden' }}
                        >
                          <Box h={6} w={`${(100 * failed) / searches}%`} bg="var(--warn)" />
                        </Box>
                        <Text size="xs" className="numbers" w={44} ta="end">
                          {formatShare(failed / searches)}
                        </Text>
                      </Group>
                    </Table.Td>
                    <Table.Td className="quiet" visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
                      {last && formatAgo(last)}
                    </Table.Td>
                    {can('configurations') && (
                      <Table.Td ta="end" visibleFrom="sm">
                        <Group gap="xs" wrap="nowrap" justify="flex-end">
                          {failed > 0 && <Propose query={query} />}
                          <Block query={query} />
                        </Group>
                      </Table.Td>
                    )}
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
    </section>
  );
}

/** To the query as it is answered, for whom answers are explained. */
function TryLink({ query }: { query: string }) {
  const { pathTo, can } = useConsole();
  const words = <bdi>{query || '(empty)'}</bdi>;
  if (!can('explanations')) return words;
  return (
    <Link className="row-link" href={`${pathTo('search')}?q=${encodeURIComponent(query)}`}>
      {words}
    </Link>
  );
}

function Propose({ query }: { query: string }) {
  const { pathTo } = useConsole();
  return (
    <Button
      component={Link}
      href={`${pathTo('search')}?view=synonyms&words=${encodeURIComponent(query)}`}
      variant="default"
      size="compact-xs"
      aria-label={text.proposeLabel(query)}
    >
      {text.propose}
    </Button>
  );
}

/** Leads to the blocked queries with this one among them. */
function Block({ query }: { query: string }) {
  const { pathTo } = useConsole();
  return (
    <Button
      component={Link}
      href={`${pathTo('search')}?view=blocked&add=${encodeURIComponent(query)}`}
      variant="default"
      size="compact-xs"
      aria-label={text.blockLabel(query)}
    >
      {text.block}
    </Button>
  );
}
