import { Alert, Button, Group, Paper, Select, Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { formatOf } from '../../../formats/records/formats.ts';
import {
  type FieldType,
  itemFields,
  proposeFields,
  type TargetField,
  writeMapping,
} from '../../../formats/records/mapping/propose.ts';
import { Snippet } from '../../kit/snippet.tsx';
import { useConsole } from '../../service/console-context.ts';
import { type Choices, choose, withChoices } from './choices.ts';
import { ColumnTable } from './column-table.tsx';
import { type Job, runJob, useJob } from './job.ts';
import { Outcome } from './outcome.tsx';
import type { FileSample } from './read-file.ts';

type PlanProps = { file: File; sample: FileSample /** Undefined for the detected one. */; encoding?: string };

/** Mapping of the columns, dry run and import. */
export function Plan({ file, sample, encoding }: PlanProps) {
  const { columns, ready, notes } = sample;
  const { connection, environment } = useConsole();
  const queryClient = useQueryClient();
  const current = useJob();
  const [choices, setChoices] = useState<Choices>(
    current?.file === file && current.encoding === encoding
      ? current.choices
      : { itemType: environment.itemTypes[0]?.name ?? '', fields: new Map(), usesReady: true },
  );
  const { itemType, fields, usesReady } = choices;
  const readyText = usesReady ? ready?.text.replace(/^item_type: .*$/m, `item_type: ${itemType}`) : undefined;
  const targets = useTargets(itemType);
  const chosen = useMemo(
    () => withChoices(proposeFields(columns, targets), fields),
    [columns, targets, fields],
  );
  const names = columns.map(({ name }) => name);
  const isAsIs = formatOf(file.name) === 'ndjson' && names.includes('item_id') && names.includes('item_type');
  const mapping = isAsIs ? '' : (readyText ?? writeMapping({ columns, targets, chosen, itemType }));
  const job =
    current?.file === file && current.mapping === mapping && current.encoding === encoding
      ? current
      : undefined;
  const isReady = isAsIs || readyText !== undefined || [...chosen.values()].includes('item_id');
  const run = async (isTrial: boolean, from?: Job) => {
    const isDeclared = (type: string, name: string) =>
      environment.itemTypes.some(
        (one) => one.name === type && one.properties.some((own) => own.name === name),
      );
    const { name, timeZone } = environment;
    const order = { environment: name, file, encoding, mapping, choices, isDeclared, timeZone, isTrial };
    await runJob(connection, order, from);
    if (!isTrial) await queryClient.invalidateQueries();
  };
  return (
    <>
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
      {isAsIs ? (
        <Text size="sm">The records have the documented format and need no mapping.</Text>
      ) : (
        <>
          <Select
            label="Item type"
            data={environment.itemTypes.map(({ name }) => name)}
            value={itemType}
            onChange={(next) => setChoices({ ...choices, itemType: next ?? '' })}
            maw={280}
          />
          {ready && (
            <Switch
              label={`Read the file as ${ready.title}`}
              checked={usesReady}
              onChange={({ currentTarget }) => setChoices({ ...choices, usesReady: currentTarget.checked })}
            />
          )}
          {readyText === undefined && (
            <ColumnTable
              columns={columns}
              targets={targets}
              chosen={chosen}
              onChoose={(column, field) => setChoices({ ...choices, fields: choose(fields, column, field) })}
            />
          )}
          <details>
            <Text component="summary" size="sm" mb="xs">
              Mapping file for the command line
            </Text>
            <Snippet label="mapping file" code={mapping} />
          </details>
        </>
      )}
      {!isReady && <Alert color="orange">Choose the column that maps to item_id.</Alert>}
      {job && <Outcome job={job} onResume={() => run(job.isTrial, job)} />}
      <Steps job={job} isReady={isReady && current?.state !== 'running'} onRun={run} />
    </>
  );
}

type StepsProps = { job?: Job; isReady: boolean; onRun(isTrial: boolean): void };

/** Offers the import after a dry run that accepted items. */
function Steps({ job, isReady, onRun }: StepsProps) {
  const isTried = job?.isTrial === true && job.state === 'done';
  const canStart = isTried && job.acceptedCount > 0;
  return (
    <Paper p="md">
      <Group justify="flex-end">
        <Button variant={canStart ? 'default' : 'filled'} disabled={!isReady} onClick={() => onRun(true)}>
          {isTried ? 'Repeat dry run' : 'Dry run'}
        </Button>
        <Button
          variant={canStart ? 'filled' : 'default'}
          disabled={!isReady || !canStart}
          onClick={() => onRun(false)}
        >
          Import
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
