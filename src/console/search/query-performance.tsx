import { Group, Select } from '@mantine/core';
import { Link } from 'wouter';
import type { PerformanceRow } from '../../../gen/es/personalisation/v1/performance_pb.js';
import { ActionLink } from '../kit/action-link.tsx';
import { LateInput } from '../kit/fields.tsx';
import { SearchX } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import {
  csvOfPerformance,
  ExportButton,
  FieldRow,
  figureColumns,
  nameOf,
  PeriodFields,
  type PeriodKey,
  readPeriod,
  usePerformance,
} from '../kit/performance.tsx';
import { DataTable, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const mostShown = 200;

const problems = [
  { value: '', label: t('All queries') },
  { value: 'any', label: t('Without results or clicks') },
  { value: 'no_results', label: t('Without results') },
  { value: 'no_clicks', label: t('Without clicks') },
];

/** Queries with their metrics. From each, a rule set or a synonym can be tried before it is saved. */
export function QueryPerformance() {
  const { environment } = useConsole();
  const { values, set } = useAddress<PeriodKey | 'show' | 'sort' | 'text'>();
  const period = readPeriod(values, environment.timeZone);
  const { show = '', sort = '', text = '' } = values;
  const { data, error, refetch } = usePerformance({
    ...period,
    ...{ dimension: 'query', problem: show || undefined, text, limit: mostShown },
    orderBy: sort && `${sort} desc`,
  });
  return (
    <section aria-label={t('Queries')}>
      <FieldRow>
        <Select
          label={t('Show')}
          data={problems}
          value={show}
          onChange={(next) => set({ show: next ?? '' })}
          flex="1 1 170px"
        />
        <LateInput
          label={t('Search')}
          value={text}
          onChange={(next) => set({ text: next })}
          flex="1 1 120px"
        />
        <Select
          label={t('Sort by')}
          data={data?.metrics.map((metric) => ({ value: metric.name, label: nameOf(metric) })) ?? []}
          value={sort || (data?.metrics[0].name ?? null)}
          onChange={(next) => set({ sort: next ?? '' })}
          flex="1 1 140px"
        />
        <PeriodFields period={period} values={values} onChange={set} />
        {data && <ExportButton name="queries" csv={() => csvOfPerformance(t('query'), data)} />}
      </FieldRow>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Loading h={240} />}
      {data?.rows.length === 0 && (
        <Empty icon={SearchX} title={t('No queries')}>
          {t(
            'Queries of your site appear here after some seconds. Choose a longer time range to see earlier ones.',
          )}
        </Empty>
      )}
      {data && data.rows.length > 0 && (
        <>
          <TablePaper>
            <DataTable
              highlightOnHover
              rows={data.rows}
              keyOf={({ value }, place) => `${place} ${value}`}
              columns={[
                { label: t('Query'), width: '24%', cell: (row) => <QueryCell row={row} /> },
                ...figureColumns(data.metrics, period),
              ]}
            />
          </TablePaper>
          <Hint mt="xs">
            {t(
              'Without robots and without tries on this page. A search with several clicks counts once in the no-click rate; a purchase counts for the search whose result was clicked last.',
            )}
          </Hint>
        </>
      )}
    </section>
  );
}

/** The query with what can be done about it. */
function QueryCell({ row: { value } }: { row: PerformanceRow }) {
  const { pathTo, can } = useConsole();
  const query = encodeURIComponent(value);
  const words = <bdi>{value}</bdi>;
  return (
    <>
      {can('explanations') ? (
        <Link className="row-link" href={`${pathTo('search')}?q=${query}`}>
          {words}
        </Link>
      ) : (
        words
      )}
      {can('configurations') && (
        <Group gap={6} mt={4}>
          <ActionLink
            to={`${pathTo('configurations')}/${ruleSetIdOf(value)}?query=${query}`}
            label={t('Rules or redirect for {query}', { query: value })}
          >
            {t('Rules')}
          </ActionLink>
          <ActionLink
            to={`${pathTo('search')}?view=synonyms&words=${query}`}
            label={t('Add a synonym for {query}', { query: value })}
          >
            {t('Synonym')}
          </ActionLink>
          <ActionLink
            to={`${pathTo('search')}?view=blocked&add=${query}`}
            label={t('Block {query}', { query: value })}
          >
            {t('Block')}
          </ActionLink>
        </Group>
      )}
    </>
  );
}

const longestId = 40;

/** ID of the rule set of a query, readable where the query has letters and digits. */
function ruleSetIdOf(query: string): string {
  const plain = query
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, longestId);
  return `search-${plain || 'rules'}`;
}
