import { ViewSwitch } from '../kit/fields.tsx';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';
import { Incoming } from './incoming.tsx';
import { Refused } from './refused.tsx';

const views = [
  { value: 'arriving', label: t('Incoming') },
  { value: 'refused', label: t('Refused') },
];

export function Page() {
  const { values } = useAddress<'view'>();
  return (
    <PageFrame title={t('Events')} lead={t('Incoming events, and refused events with the reason.')}>
      <ViewSwitch views={views} />
      {values.view === 'refused' ? <Refused /> : <Incoming />}
    </PageFrame>
  );
}
