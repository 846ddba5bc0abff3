import { ViewSwitch } from '../kit/fields.tsx';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { Incoming } from './incoming.tsx';
import { Refused } from './refused.tsx';

const views = [
  { value: 'arriving', label: 'Incoming' },
  { value: 'refused', label: 'Refused' },
];

export function Page() {
  const { values } = useAddress<'view'>();
  return (
    <PageFrame title="Events" lead="Incoming events, and refused events with the reason.">
      <ViewSwitch views={views} />
      {values.view === 'refused' ? <Refused /> : <Incoming />}
    </PageFrame>
  );
}
