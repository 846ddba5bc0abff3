import { Group, SegmentedControl } from '@mantine/core';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Queries } from './queries-table.tsx';
import { text } from './text.ts';
import { TrySearch } from './try-search.tsx';

/** Tries a search, or looks at what people search for. */
export function Page() {
  const { can } = useConsole();
  const { values, set } = useAddress<'view'>();
  const showsQueries = values.view === 'queries' && can('metrics');
  return (
    <PageFrame title={text.title} lead={text.lead}>
      {can('metrics') && (
        <Group mb="lg">
          <SegmentedControl
            aria-label="View"
            data={[
              { value: 'try', label: 'Try' },
              { value: 'queries', label: text.frequent },
            ]}
            value={showsQueries ? 'queries' : 'try'}
            onChange={(view) => set({ view: view === 'queries' ? view : '' }, true)}
            transitionDuration={0}
          />
        </Group>
      )}
      {showsQueries ? <Queries /> : <TrySearch />}
    </PageFrame>
  );
}
