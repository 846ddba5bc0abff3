import { Box, Group, Radio } from '@mantine/core';
import { useState } from 'react';
import type { ConfigurationPeriod } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document } from '../../grammar/document.ts';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import { nextOf, periodOf, periodWords } from '../schedule.ts';
import { MomentField } from './settings-form.tsx';

/** Scheduled versions that a document replaces, the next to start first; none if it has a start of its own. */
function replacedBy(document: Document, periods: readonly ConfigurationPeriod[]): ConfigurationPeriod[] {
  const moment = (name: string) => (document[name] ? Date.parse(document[name] as string) : undefined);
  if ((moment('active_from') ?? 0) > Date.now()) return [];
  const end = moment('active_until') ?? Number.POSITIVE_INFINITY;
  return nextOf(periods).filter((one) => (periodOf(one).until?.getTime() ?? Number.POSITIVE_INFINITY) <= end);
}

/** Asks what happens to the scheduled versions that a document would replace; no fields without them. */
export function useScheduleChoice(document: Document, periods: readonly ConfigurationPeriod[]) {
  const { timeZone } = useConsole().environment;
  const [replaced] = useState(() => replacedBy(document, periods));
  const [choice, setChoice] = useState('keep');
  const [start, setStart] = useState(() => periodOf(replaced[0] ?? {}).from?.toISOString());
  const moves = choice === 'move';
  const fields = replaced.length > 0 && (
    <>
      <Radio.Group
        mt="md"
        label={t('Scheduled versions')}
        description={replaced.map((one) => periodWords(one, timeZone)).join(' · ')}
        value={choice}
        onChange={setChoice}
      >
        <Group gap="md" mt="xs">
          <Radio value="keep" label={t('Keep the schedule')} />
          <Radio value="move" label={t('Move the start')} />
          <Radio value="cancel" label={t('Cancel the schedule')} />
        </Group>
      </Radio.Group>
      {moves && (
        <Box mt="sm">
          <MomentField
            label={t('New start')}
            hint={t('Time zone {timeZone}', { timeZone })}
            value={start}
            onChange={setStart}
          />
        </Box>
      )}
    </>
  );
  const keepScheduled = replaced.length > 0 && choice !== 'cancel';
  return {
    fields,
    isIncomplete: moves && !start,
    request: { keepScheduled, scheduledStart: moves ? start : undefined },
  };
}
