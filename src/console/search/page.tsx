import { Group, SegmentedControl } from '@mantine/core';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { BlockedQueries } from './blocked/blocked-queries.tsx';
import { Queries } from './queries-table.tsx';
import { Synonyms } from './synonyms/synonyms.tsx';
import { text } from './text.ts';
import { TrySearch } from './try-search.tsx';

/** Areas that they need beside the page's own. */
const views = [
  { value: 'try', label: 'Try', area: 'explanations', Content: TrySearch },
  { value: 'queries', label: text.frequent, area: 'metrics', Content: Queries },
  { value: 'synonyms', label: text.synonyms, area: 'configurations', Content: Synonyms },
  { value: 'blocked', label: text.blocked, area: 'configurations', Content: BlockedQueries },
];

/** Tries a search, lists what people search for, and edits synonyms and blocked queries. */
export function Page() {
  const { can } = useConsole();
  const { values, set } = useAddress<'view'>();
  const offered = views.filter(({ area }) => can(area));
  const { value, Content } = offered.find((view) => view.value === values.view) ?? offered[0];
  return (
    <PageFrame title={text.title} lead={text.lead}>
      {offered.length > 1 && (
        <Group mb="lg">
          <SegmentedControl
            aria-label="View"
            data={offered.map((view) => ({ value: view.value, label: view.label }))}
            value={value}
            onChange={(view) => set({ view: view === offered[0].value ? '' : view }, true)}
            transitionDuration={0}
          />
        </Group>
      )}
      <Content />
    </PageFrame>
  );
}
