import { Group, Select } from '@mantine/core';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { History } from '../kit/icons.ts';
import { Empty, ErrorNotice, Loading, PageFrame } from '../kit/page.tsx';
import { usePages, useRead } from '../kit/queries.ts';
import { MoreButton, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { ActivityTable } from './list.tsx';
import { kinds } from './words.ts';

const everywhere = '*';
const kindChoices = Object.entries(kinds).map(([value, { label }]) => ({ value, label }));

/** Recent changes of colleagues, by environment, person and kind. */
export function Page() {
  const { environment: here, environments } = useConsole();
  const { values, set } = useAddress<'in' | 'by' | 'kind'>();
  const place = values.in || here.name;
  const concerned = place === everywhere ? undefined : place;
  const named = useRead(AuditService.method.listActivity, {
    environment: concerned,
    ...{ pageSize: 1, withPeople: true },
  });
  const pages = usePages(
    AuditService.method.listActivity,
    { environment: concerned, clientId: values.by ?? '', kinds: values.kind ? [values.kind] : [] },
    (page) => page.entries,
  );
  const entries = pages.rows;
  const people = new Map(values.by ? [[values.by, values.by]] : []);
  for (const one of named.data?.people ?? []) people.set(one.clientId, one.clientName || one.clientId);
  return (
    <PageFrame title={t('Activity')} lead={t('Who changed what in the last 90 days.')}>
      <Group align="flex-end" mb="md">
        <Select
          label={t('Environment')}
          data={[
            { value: everywhere, label: t('All environments') },
            ...environments.map(({ name }) => ({ value: name, label: name })),
          ]}
          value={place}
          allowDeselect={false}
          onChange={(value) => set({ in: value === here.name ? '' : (value ?? '') })}
        />
        <Select
          label={t('Person')}
          placeholder={t('Anyone')}
          clearable
          searchable
          data={Array.from(people, ([value, label]) => ({ value, label }))}
          value={values.by ?? null}
          onChange={(by) => set({ by: by ?? '' })}
        />
        <Select
          label={t('Kind')}
          placeholder={t('All kinds')}
          clearable
          data={kindChoices}
          value={values.kind ?? null}
          onChange={(kind) => set({ kind: kind ?? '' })}
        />
      </Group>
      {pages.error && <ErrorNotice error={pages.error} onRetry={pages.refetch} />}
      {!entries && !pages.error && <Loading h={240} />}
      {entries && (
        <TablePaper aria-label={t('Changes')}>
          {entries.length > 0 ? (
            <ActivityTable entries={entries} />
          ) : (
            <Empty icon={History} title={t('No changes')}>
              {t(
                'Changes of rule sets, pages, experiments, items, models and synonyms appear here. Choose other filters to see more.',
              )}
            </Empty>
          )}
        </TablePaper>
      )}
      <MoreButton pages={pages} />
    </PageFrame>
  );
}
