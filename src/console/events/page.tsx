import { SegmentedControl } from '@mantine/core';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { Arriving } from './arriving.tsx';
import { Refused } from './refused.tsx';
import { text } from './text.ts';

/** What arrives, or what was refused. */
export function Page() {
  const { values, set } = useAddress<'view'>();
  const showsRefused = values.view === 'refused';
  return (
    <PageFrame title={text.title} lead={text.lead}>
      <SegmentedControl
        aria-label="View"
        mb="lg"
        data={[
          { value: 'arriving', label: text.arriving },
          { value: 'refused', label: text.refused },
        ]}
        value={showsRefused ? 'refused' : 'arriving'}
        onChange={(view) => set({ view: view === 'refused' ? view : '' }, true)}
        transitionDuration={0}
      />
      {showsRefused ? <Refused /> : <Arriving />}
    </PageFrame>
  );
}
