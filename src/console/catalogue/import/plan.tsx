import { Alert, Button, Group, Paper, Select, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Import } from '../../../../gen/es/personalisation/v1/import_pb.js';
import { assignColumn, assignType, mappedColumns, typeIn } from '../../../formats/records/mapping/edit.ts';
import {
  type Column,
  expressionOf,
  type FieldType,
  itemFields,
  proposeFields,
  type TargetField,
  writeMapping,
} from '../../../formats/records/mapping/propose.ts';
import { JsonField } from '../../kit/fields.tsx';
import { ErrorNotice, Hint } from '../../kit/page.tsx';
import { DataTable, TablePaper } from '../../kit/table.tsx';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import { isUnderWay, type Upload, useImport, useStart } from './imports.ts';
import { Outcome } from './outcome.tsx';

/** A mapping to begin with. */
export type Source = { label: string; mapping: string /** Whether its item type stays. */; isOwn?: boolean };

type PlanProps = {
  columns: readonly Column[];
  /** Mappings of former imports and of known exports, before the proposed one. */
  sources: readonly Source[];
  /** Whether records have the documented format and need no mapping. */
  isAsIs: boolean;
  /** Undefined when the file was chosen elsewhere. */
  upload: Upload | undefined;
};

/** Mapping of the columns, dry run and import. */
export function Plan({ columns, sources, isAsIs, upload }: PlanProps) {
  const { environment } = useConsole();
  const { values, set } = useAddress<'id'>();
  const { data: job } = useImport(values.id);
  const start = useStart();
  const [chosenType, setChosenType] = useState(environment.itemTypes[0]?.name ?? '');
  const [changed, setChanged] = useState<string>();
  const [label, setLabel] = useState(sources[0]?.label);
  const own = changed ?? sources.find((one) => one.isOwn && one.label === label)?.mapping;
  const itemType = (own && typeIn(own)) ?? chosenType;
  const targets = useTargets(itemType);
  const all = useMemo(() => {
    const chosen = proposeFields(columns, targets);
    const proposed = {
      label: t('Names of the columns'),
      mapping: writeMapping({ columns, targets, chosen, itemType }),
    };
    return [...sources, proposed];
  }, [columns, sources, targets, itemType]);
  const source = all.find((one) => one.label === label) ?? all[all.length - 1];
  const mapping = isAsIs ? '' : (own ?? assignType(source.mapping, itemType));
  const chosen = mappedColumns(mapping);
  const isReady = isAsIs || !chosen || [...chosen.values()].includes('item_id');
  const isCurrent = job?.mapping === mapping;
  const run = (validateOnly: boolean, next = mapping) =>
    start.mutate(
      { upload, importId: values.id, mapping: next, validateOnly },
      { onSuccess: (id) => set({ id }) },
    );
  const assign = (column: string, field: string) => {
    const type = targets.find(({ name }) => name === field)?.type ?? 'string';
    const found = columns.find(({ name }) => name === column)!;
    setChanged(assignColumn(mapping, column, field, field && expressionOf(found, type)));
  };
  return (
    <>
      {isAsIs ? (
        <Text size="sm">{t('The records have the documented format and need no mapping.')}</Text>
      ) : (
        <>
          <Group align="end">
            <Select
              label={t('Item type')}
              data={environment.itemTypes.map(({ name }) => name)}
              value={itemType}
              onChange={(next) => {
                setChosenType(next ?? '');
                if (own !== undefined) setChanged(assignType(own, next ?? ''));
              }}
              maw={280}
            />
            {all.length > 1 && (
              <Select
                label={t('Mapping by')}
                data={all.map((one) => one.label)}
                value={source.label}
                onChange={(next) => {
                  setLabel(next!);
                  setChanged(undefined);
                }}
                allowDeselect={false}
                w={340}
              />
            )}
          </Group>
          {chosen && <ColumnTable columns={columns} targets={targets} chosen={chosen} onChoose={assign} />}
          <MappingText mapping={mapping} onChange={setChanged} />
        </>
      )}
      {!isReady && <Alert color="orange">{t('Choose the column that maps to item_id.')}</Alert>}
      {start.error && <ErrorNotice error={start.error} />}
      {job && (isCurrent || isUnderWay(job)) && (
        <Outcome
          job={job}
          onFix={(fix) => {
            setChanged(fix.mapping);
            run(true, fix.mapping);
          }}
        />
      )}
      <Steps
        job={isCurrent ? job : undefined}
        isReady={
          isReady &&
          !start.isPending &&
          !(job && isUnderWay(job)) &&
          (upload !== undefined || job?.expiresAt !== undefined)
        }
        onRun={run}
      />
    </>
  );
}

function MappingText({ mapping, onChange }: { mapping: string; onChange(next: string): void }) {
  return (
    <details>
      <Text component="summary" size="sm" mb="xs">
        {t('Mapping file, also for the command line')}
      </Text>
      <JsonField aria-label={t('mapping file')} value={mapping} onChange={onChange} />
    </details>
  );
}

type StepsProps = { job?: Import; isReady: boolean; onRun(validateOnly: boolean): void };

/** Offers the import after a dry run that accepted items. */
function Steps({ job, isReady, onRun }: StepsProps) {
  const isTried = job?.validateOnly === true && job.endTime !== undefined && !isUnderWay(job);
  const canStart = isTried && job.acceptedCount > 0;
  return (
    <Paper p="md">
      <Group justify="flex-end">
        <Button variant={canStart ? 'default' : 'filled'} disabled={!isReady} onClick={() => onRun(true)}>
          {isTried ? t('Repeat dry run') : t('Dry run')}
        </Button>
        <Button
          variant={canStart ? 'filled' : 'default'}
          disabled={!isReady || !canStart}
          onClick={() => onRun(false)}
        >
          {t('Import')}
        </Button>
      </Group>
    </Paper>
  );
}

function useTargets(itemType: string): TargetField[] {
  const { environment } = useConsole();
  return useMemo(() => {
    const declared = environment.itemTypes.find(({ name }) => name === itemType)?.properties ?? [];
    const properties = declared.map(({ name, type }) => ({ name, type: type as FieldType }));
    const known = new Set(properties.map(({ name }) => name));
    return [...itemFields.filter(({ name }) => !known.has(name)), ...properties];
  }, [environment, itemType]);
}

const samplesShown = 4;

type ColumnTableProps = {
  columns: readonly Column[];
  targets: readonly TargetField[];
  chosen: ReadonlyMap<string, string>;
  onChoose(column: string, field: string): void;
};

/** Columns of the file with examples, and the field that each maps to. */
function ColumnTable({ columns, targets, chosen, onChoose }: ColumnTableProps) {
  const data = [{ value: '', label: t('Ignore') }, ...targets.map(({ name }) => name)];
  return (
    <TablePaper aria-label={t('Columns')}>
      <DataTable
        layout="fixed"
        rows={columns.filter(({ name }) => name !== '')}
        keyOf={({ name }) => name}
        columns={[
          {
            label: t('Column'),
            cell: ({ name, samples }) => (
              <>
                <Text size="sm" fw={500}>
                  <bdi>{name}</bdi>
                </Text>
                <Hint className="clamp-2" hiddenFrom="sm">
                  <bdi>{samples[0]}</bdi>
                </Hint>
              </>
            ),
          },
          {
            label: t('Examples'),
            from: 'sm',
            width: '45%',
            cell: ({ samples }) => (
              <Hint className="clamp-2">
                <bdi>{samples.slice(0, samplesShown).join(' · ')}</bdi>
              </Hint>
            ),
          },
          {
            label: t('Maps to'),
            cell: ({ name }) => (
              <Select
                size="xs"
                aria-label={t('Maps to: {name}', { name })}
                data={data}
                value={chosen.get(name) ?? ''}
                onChange={(field) => onChoose(name, field ?? '')}
                searchable
              />
            ),
          },
        ]}
      />
    </TablePaper>
  );
}
