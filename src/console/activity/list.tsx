import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { AuditEntry } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { Hint } from '../kit/page.tsx';
import { Ago, DataTable } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { wordsOf } from './words.ts';

/** Changes in plain words, with links to what was changed. */
export const ActivityTable = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <DataTable
    aria-label={t('Activity')}
    rows={entries}
    keyOf={({ entryId }) => entryId}
    columns={[
      { label: t('Change'), cell: (entry) => <Change entry={entry} /> },
      { label: t('When'), isQuiet: true, width: '8rem', cell: ({ time }) => <Ago time={time} /> },
    ]}
  />
);

const personOf = ({ clientId, clientName }: AuditEntry): string => clientName || clientId || t('The service');

function Change({ entry }: { entry: AuditEntry }) {
  const { environment, can } = useConsole();
  const { sentence, noun, id, page, area } = wordsOf(entry);
  const place = entry.environment || environment.name;
  const name = <bdi>{id || noun}</bdi>;
  const isOpen = page !== undefined && (area === undefined || can(area));
  const person = (
    <b>
      <bdi>{personOf(entry)}</bdi>
    </b>
  );
  const object = (
    <>
      {id && `${noun} `}
      {isOpen ? (
        <Anchor component={Link} href={`/${place}/${page}`} size="sm" underline="always">
          {name}
        </Anchor>
      ) : (
        name
      )}
    </>
  );
  return (
    <>
      <Text size="sm">{rich(sentence, { person, action: entry.action, object })}</Text>
      {entry.environment !== '' && entry.environment !== environment.name && <Hint>{entry.environment}</Hint>}
    </>
  );
}
