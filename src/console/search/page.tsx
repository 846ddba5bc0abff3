import { Button, Group, Paper, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import {
  type BlockedQueries as Blocked,
  BlockedQueryService,
} from '../../../gen/es/personalisation/v1/blocked_query_service_pb.js';
import type { PerformanceRow } from '../../../gen/es/personalisation/v1/performance_pb.js';
import { LateInput, TextArea, ViewSwitch } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { SearchX } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame, RowLink } from '../kit/page.tsx';
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
import { useChange, useRead } from '../kit/queries.ts';
import { DataTable, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Synonyms } from './synonyms/synonyms.tsx';
import { TrySearch } from './try-search.tsx';

/** `area` is the scope that a view needs besides the page's own. */
const views = [
  { value: 'try', label: t('Try'), area: 'explanations', Content: TrySearch },
  { value: 'queries', label: t('Queries'), area: 'metrics', Content: QueryPerformance },
  { value: 'synonyms', label: t('Synonyms'), area: 'configurations', Content: Synonyms },
  { value: 'blocked', label: t('Blocked'), area: 'configurations', Content: BlockedQueries },
];

export function Page() {
  const { can } = useConsole();
  const { values } = useAddress<'view'>();
  const offered = views.filter(({ area }) => can(area));
  const { Content } = offered.find((view) => view.value === values.view) ?? offered[0];
  return (
    <PageFrame
      title={t('Search')}
      lead={t('Try a query to see its interpretation and the reason for each rank. Nothing is counted.')}
    >
      <ViewSwitch views={Object.fromEntries(offered.map(({ value, label }) => [value, label]))} />
      <Content />
    </PageFrame>
  );
}

const mostPhrases = 2_000;

/** Editor of the words and phrases that are never suggested. */
function BlockedQueries() {
  const { data, error, refetch } = useRead(BlockedQueryService.method.getBlockedQueries);
  const blocked = data?.blockedQueries;
  if (!blocked) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Loading h={240} />;
  return <Editor key={blocked.revision} blocked={blocked} />;
}

function Editor({ blocked: { phrases, revision } }: { blocked: Blocked }) {
  const { mayChange } = useConsole();
  const mayPublish = mayChange('configurations', 'publish');
  const { values, set } = useAddress<'add'>();
  const stored = phrases.join('\n');
  const [draft, setDraft] = useState(values.add ? [...phrases, values.add].join('\n') : stored);
  const save = useChange(
    BlockedQueryService.method.putBlockedQueries,
    () => void notifications.show({ message: t('Blocked queries saved.'), color: 'green' }),
  );
  const wanted = phrasesOf(draft);
  const isTooLong = wanted.length > mostPhrases;
  const change = (next: string) => {
    save.reset();
    setDraft(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** The draft contains it, and the editor of the next revision must not add it again. */
    set({ add: '' });
    const blockedQueries = { phrases: wanted };
    save.mutate({ blockedQueries, expectedRevision: revision });
  };
  return (
    <Paper p="md" component="form" onSubmit={submit} aria-label={t('Blocked queries')}>
      <TextArea
        label={t('Words and phrases, one per line')}
        description={t(
          'Queries with one of them are not suggested to other visitors. Case, accents and punctuation are ignored; whole words are compared.',
        )}
        value={draft}
        onChange={change}
        error={
          isTooLong
            ? t('Must be at most {count} words and phrases.', { count: formatCount(mostPhrases) })
            : undefined
        }
        readOnly={!mayPublish}
        minRows={8}
        maxRows={24}
      />
      {save.error && <ErrorNotice error={save.error} />}
      <Group justify="flex-end" mt="md" display={mayPublish ? undefined : 'none'}>
        <Button disabled={draft === stored} onClick={() => change(stored)}>
          {t('Discard')}
        </Button>
        <Button
          variant="filled"
          type="submit"
          loading={save.isPending}
          disabled={isTooLong || wanted.join('\n') === stored}
        >
          {t('Save')}
        </Button>
      </Group>
    </Paper>
  );
}

/** Distinct lines, without empty ones. */
function phrasesOf(draft: string): string[] {
  const lines = draft.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

const mostShown = 200;

const problems = [
  { value: '', label: t('All queries') },
  { value: 'any', label: t('Without results or clicks') },
  { value: 'no_results', label: t('Without results') },
  { value: 'no_clicks', label: t('Without clicks') },
];

/** Queries with their metrics. From each, a rule set or a synonym can be tried before it is saved. */
function QueryPerformance() {
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
  return (
    <>
      <RowLink to={`search?q=${query}`} area="explanations">
        {value}
      </RowLink>
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

type ActionLinkProps = { to: string; label: string; children: string };

/** Small button in a row of a table that opens another page. @param label Names the row, too. */
const ActionLink = ({ to, label, children }: ActionLinkProps) => (
  <Button component={Link} href={to} size="compact-xs" aria-label={label}>
    {children}
  </Button>
);
