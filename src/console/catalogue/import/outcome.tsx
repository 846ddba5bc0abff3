import { Alert, Button, Group, Paper, Progress, SimpleGrid, Text } from '@mantine/core';
import {
  type Import,
  ImportState,
  type RejectionCause,
} from '../../../../gen/es/personalisation/v1/import_pb.js';
import { skipEmpty, transformField } from '../../../formats/records/mapping/edit.ts';
import { formatCount, formatPlace } from '../../kit/format.ts';
import { ErrorNotice, Hint, Section } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { t } from '../../texts/texts.ts';
import { isUnderWay, useCancel, useExport } from './imports.ts';

type OutcomeProps = { job: Import; onFix(fix: Fix): void };

/** Progress and result of a dry run or an import. */
export function Outcome({ job, onFix }: OutcomeProps) {
  const { importId, validateOnly, acceptedCount, newCount, rejectedCount, skippedCount, failure } = job;
  const cancel = useCancel();
  const figures: [number, string][] = [
    [acceptedCount, t('accepted')],
    [newCount, t('new')],
    [acceptedCount - newCount, t('updated')],
    [rejectedCount, t('rejected')],
    [skippedCount, t('skipped')],
  ];
  return (
    <>
      <Paper p="md" component="section" aria-label={t('Import items')}>
        <Group justify="space-between" mb="sm" mih={30}>
          <Text fw={600} role="status">
            {stateWords(job)}
          </Text>
          {isUnderWay(job) && (
            <Button size="xs" onClick={() => cancel.mutate(importId)}>
              {t('Stop')}
            </Button>
          )}
        </Group>
        <Progress
          value={isUnderWay(job) ? 100 * job.progress : 100}
          aria-label={validateOnly ? t('Dry run') : t('Import')}
          color={job.state === ImportState.FAILED ? 'red' : undefined}
          transitionDuration={0}
        />
        <SimpleGrid cols={{ base: 2, sm: 5 }} mt="md">
          {figures.map(([count, label]) => (
            <div key={label}>
              <Text fz={20} fw={600} className="numbers">
                {formatCount(count)}
              </Text>
              <Hint>{label}</Hint>
            </div>
          ))}
        </SimpleGrid>
      </Paper>
      {failure && <Alert color="red">{failure}</Alert>}
      {cancel.error && <ErrorNotice error={cancel.error} />}
      {rejectedCount > 0 && <Causes job={job} onFix={onFix} />}
    </>
  );
}

export function stateWords({ state, validateOnly }: Import): string {
  if (state === ImportState.QUEUED) return t('Waiting for the service');
  if (state === ImportState.RUNNING)
    return validateOnly
      ? t('Dry run: nothing is stored')
      : t('Importing; continues while this page is closed');
  if (state === ImportState.CANCELLED)
    return validateOnly ? t('Stopped; nothing was stored') : t('Stopped; accepted items are stored');
  if (state === ImportState.FAILED) return t('Stopped by an error');
  return validateOnly ? t('Dry run done: nothing was stored') : t('Imported');
}

/** Why records are rejected, with changes of the mapping that remove the cause. */
function Causes({ job, onFix }: OutcomeProps) {
  const save = useExport();
  const { causes, keptCount, rejectedCount, mapping } = job;
  const exportButton = (
    <Button size="xs" loading={save.isPending} onClick={() => save.mutate(job)}>
      {t('Download rejected rows')}
    </Button>
  );
  return (
    <Section title={t('Errors by cause')} actions={exportButton}>
      <DataTable
        layout="fixed"
        rows={causes}
        keyOf={({ pointer, detail }) => pointer + detail}
        columns={[
          { label: t('Rows'), width: 90, isNumber: true, cell: ({ count }) => formatCount(count) },
          { label: t('Field'), from: 'sm', width: 140, cell: ({ pointer }) => pointer.slice(1) },
          { label: t('Cause'), cell: (cause) => <Cause cause={cause} /> },
          {
            label: t('Fix'),
            cell: (cause) =>
              isUnderWay(job) ? null : (
                <Group gap="xs">
                  {fixesOf(cause, mapping).map((fix) => (
                    <Button
                      key={fix.label}
                      size="compact-xs"
                      variant="light"
                      h="auto"
                      styles={{ label: { whiteSpace: 'normal' } }}
                      onClick={() => onFix(fix)}
                    >
                      {fix.label}
                    </Button>
                  ))}
                </Group>
              ),
          },
        ]}
      />
      {rejectedCount > keptCount && (
        <Hint mt="xs">
          {t('The download has the first {keptCount} rejected rows.', { keptCount: formatCount(keptCount) })}
        </Hint>
      )}
      {save.error && <ErrorNotice error={save.error} />}
    </Section>
  );
}

function Cause({ cause: { detail, example, firstLine } }: { cause: RejectionCause }) {
  return (
    <>
      {example ? detail.replace('…', example) : detail}
      <Hint>{t('First in line {firstLine}', { firstLine: formatPlace(firstLine) })}</Hint>
    </>
  );
}

export type Fix = { label: string; mapping: string };

const comma = [t('Read numbers with a decimal comma'), { as: 'decimal_comma' }] as const;
const point = [t('Read numbers with a decimal point'), { as: 'decimal_point' }] as const;
const dayFirst = [t('Read dates as day, month, year'), { as: 'day_month_year' }] as const;
const monthFirst = [t('Read dates as month, day, year'), { as: 'month_day_year' }] as const;

/** The first pattern that the cause matches counts. */
const conversions: readonly [cause: RegExp, fixes: readonly (readonly [string, Record<string, string>])[]][] =
  [
    [/decimal_comma or decimal_point/, [comma, point]],
    [/a number such as 1,234\.50/, [comma]],
    [/a number such as 1\.234,50/, [point]],
    [/day_month_year or month_day_year/, [dayFirst, monthFirst]],
    [/a date of day, month, year/, [monthFirst]],
    [/a date of month, day, year/, [dayFirst]],
    [/^Must be a number/, [[t('Read as numbers'), { as: 'number' }], comma]],
    [/^Must be RFC 3339/, [[t('Read as dates'), { as: 'date' }], dayFirst]],
    [/^Must be true or false|^Must be a boolean/, [[t('Read as yes or no'), { as: 'boolean' }]]],
  ];

/** Values that the mapping cannot convert; the service refuses others. */
const isUnreadable = (detail: string): boolean => detail.startsWith('"…"');

function fixesOf({ pointer, detail }: RejectionCause, mapping: string): Fix[] {
  if (pointer === '' || mapping === '') return [];
  const [, found = []] = conversions.find(([cause]) => cause.test(detail)) ?? [];
  const offered: [string, string | undefined][] = found.map(([label, transforms]) => [
    label,
    transformField(mapping, pointer, transforms),
  ]);
  if (isUnreadable(detail)) {
    offered.push([t('Leave out the values'), transformField(mapping, pointer, { unreadable: 'leave_out' })]);
    offered.push([t('Skip the rows'), transformField(mapping, pointer, { unreadable: 'skip' })]);
  }
  if (detail === 'Is required.') offered.push([t('Skip the rows'), skipEmpty(mapping, pointer)]);
  return offered.flatMap(([label, text]) => (text === undefined ? [] : [{ label, mapping: text }]));
}
