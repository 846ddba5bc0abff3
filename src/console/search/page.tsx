import { ViewSwitch } from '../kit/fields.tsx';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { BlockedQueries } from './blocked-queries.tsx';
import { QueryPerformance } from './query-performance.tsx';
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
      <ViewSwitch views={offered.map(({ value, label }) => ({ value, label }))} />
      <Content />
    </PageFrame>
  );
}
