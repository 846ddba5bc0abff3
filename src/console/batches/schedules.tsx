import { Group, Paper, Text, Title } from '@mantine/core';
import { CalendarClock } from 'lucide-react';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

/** What the deployment file asks for every day; nothing where it asks for nothing. */
export function Schedules() {
  const { batchSchedules } = useConsole().environment;
  if (batchSchedules.length === 0) return null;
  return (
    <Paper p="md" mb="lg" component="section" aria-label={text.schedules}>
      <Title order={2} mb="xs">
        {text.schedules}
      </Title>
      {batchSchedules.map(({ name, times }) => (
        <Group key={name} gap="xs" wrap="nowrap">
          <CalendarClock size={15} aria-hidden style={{ flexShrink: 0 }} />
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi> <span className="quiet">{text.scheduleAt(times.join(', '))}</span>
          </Text>
        </Group>
      ))}
    </Paper>
  );
}
