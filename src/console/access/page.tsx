import { ViewSwitch } from '../kit/fields.tsx';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';
import { AuditLog } from './audit-log.tsx';
import { ClientList } from './client-list.tsx';
import { NewClient } from './new-client.tsx';

const views = [
  { value: 'clients', label: t('Clients') },
  { value: 'changes', label: t('Changes') },
];

export function Page() {
  const showsChanges = useAddress<'view'>().values.view === 'changes';
  return (
    <PageFrame
      title={t('Access')}
      lead={t('Clients with a secret, public write keys of web pages, and the record of changes.')}
      actions={!showsChanges && <NewClient />}
    >
      <ViewSwitch views={views} />
      {showsChanges ? <AuditLog /> : <ClientList />}
    </PageFrame>
  );
}
