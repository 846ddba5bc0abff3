import { Box, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type {
  SimulatedSide,
  ValueShare,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { keyWords } from '../../grammar/words.ts';
import { formatShare } from '../../kit/format.ts';

const mostShown = 8;

type Pair = { value: string; before: number; after: number };

/** Shares of values in the lists, before and after, most changed first. */
export function ShareBars({ before, after }: { before?: SimulatedSide; after: SimulatedSide }) {
  const all = (side?: SimulatedSide): ValueShare[] => [...(side?.shares ?? []), ...(side?.ages ?? [])];
  const keys = [...new Set([...all(before), ...all(after)].map(({ key }) => key))];
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="xl">
      {keys.map((key) => (
        <Stack key={key} gap="xs">
          <Text size="sm" fw={600}>
            {keyWords(key)}
          </Text>
          {pairsOf(key, all(before), all(after)).map((pair) => (
            <PairOfBars key={pair.value} pair={pair} />
          ))}
        </Stack>
      ))}
    </SimpleGrid>
  );
}

function pairsOf(key: string, before: ValueShare[], after: ValueShare[]): Pair[] {
  const shareIn = (shares: ValueShare[], value: string) =>
    shares.find((one) => one.key === key && one.value === value)?.share ?? 0;
  const values = [
    ...new Set([...before, ...after].filter((one) => one.key === key).map(({ value }) => value)),
  ];
  return values
    .map((value) => ({ value, before: shareIn(before, value), after: shareIn(after, value) }))
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || b.after - a.after)
    .slice(0, mostShown);
}

function PairOfBars({ pair: { value, before, after } }: { pair: Pair }) {
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" truncate>
          <bdi>{value}</bdi>
        </Text>
        <Text size="xs" className="numbers quiet" style={{ whiteSpace: 'nowrap' }}>
          {formatShare(before)} → {formatShare(after)}
        </Text>
      </Group>
      <Box h={5} w={`${100 * before}%`} bg="var(--line)" style={{ borderRadius: 2 }} />
      <Box h={5} mt={2} w={`${100 * after}%`} bg="var(--mantine-color-ink-5)" style={{ borderRadius: 2 }} />
    </div>
  );
}
