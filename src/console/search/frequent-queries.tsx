import { useQuery } from '@connectrpc/connect-query';
import { Box, Button, Group, Switch, Text } from '@mantine/core';
import { Link } from 'wouter';
import {
  type SearchQueryCount,
  SearchService,
} from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { formatCount, formatShare, momentOf } from '../kit/format.ts';
import { SearchX } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { Ago, DataTable, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';

const mostShown = 200;

/** Frequent queries with their no-result rate. */
export function FrequentQueries() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'without'>();
  const withoutResults = values.without === '1';
  const { data, error, refetch } = useQuery(SearchService.method.listSearchQueries, {
    environment: environment.name,
    withoutResults,
    pageSize: mostShown,
  });
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <section aria-label="Frequent queries">
      <Group justify="space-between" mb="sm">
        <Hint size="sm">Without robots and without tries on this page.</Hint>
        <Switch
          label="Only without results"
          checked={withoutResults}
          onChange={(event) => set({ without: event.currentTarget.checked ? '1' : '' })}
        />
      </Group>
      {!data && <Loading h={240} />}
      {data?.queries.length === 0 && (
        <Empty icon={SearchX} title="No queries yet">
          Queries of your site appear here after some seconds.
        </Empty>
      )}
      {data && data.queries.length > 0 && <QueryTable queries={data.queries} />}
    </section>
  );
}

function QueryTable({ queries }: { queries: readonly SearchQueryCount[] }) {
  const canEdit = useConsole().can('configurations');
  return (
    <TablePaper>
      <DataTable
        highlightOnHover
        rows={queries}
        keyOf={({ query }) => query}
        columns={[
          {
            label: 'Query',
            cell: ({ query, typedQuery, withoutResults }) => (
              <>
                <TryLink query={typedQuery || query} />
                <Box hiddenFrom="sm" mt={4}>
                  {canEdit && withoutResults > 0 && <SynonymButton query={query} />}
                </Box>
              </>
            ),
          },
          { label: 'Searches', isNumber: true, cell: ({ searches }) => formatCount(searches) },
          {
            label: 'No-result rate',
            width: '25%',
            cell: ({ searches, withoutResults }) => <RateBar rate={withoutResults / searches} />,
          },
          {
            label: 'Last search',
            from: 'sm',
            isQuiet: true,
            cell: ({ lastSearchedAt }) => <Ago time={momentOf(lastSearchedAt)} />,
          },
          canEdit && {
            label: 'Actions',
            isActions: true,
            from: 'sm',
            cell: ({ query, withoutResults }) => (
              <Group gap="xs" wrap="nowrap" justify="flex-end">
                {withoutResults > 0 && <SynonymButton query={query} />}
                <Action name="Block" label={`Block ${query}`} to="view=blocked&add" query={query} />
              </Group>
            ),
          },
        ]}
      />
    </TablePaper>
  );
}

function RateBar({ rate }: { rate: number }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Box visibleFrom="sm" h={6} flex={1} bg="var(--line)" style={{ borderRadius: 3, overflow: 'hidden' }}>
        <Box h={6} w={`${100 * rate}%`} bg="var(--warn)" />
      </Box>
      <Text size="xs" className="numbers" w={44} ta="end">
        {formatShare(rate)}
      </Text>
    </Group>
  );
}

/** Links to the explained results, for clients with the scope. */
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

type ActionProps = { name: string; label: string; to: string; query: string };

/** @param to Parameters of the view that takes the query. */
function Action({ name, label, to, query }: ActionProps) {
  const { pathTo } = useConsole();
  return (
    <Button
      component={Link}
      href={`${pathTo('search')}?${to}=${encodeURIComponent(query)}`}
      variant="default"
      size="compact-xs"
      aria-label={label}
    >
      {name}
    </Button>
  );
}

const SynonymButton = ({ query }: { query: string }) => (
  <Action name="Synonym" label={`Add a synonym for ${query}`} to="view=synonyms&words" query={query} />
);
