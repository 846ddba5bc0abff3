import { Paper, SimpleGrid, Text } from '@mantine/core';

export type FigureTile = readonly [value: string, label: string];

/** Figures with what they count, beside each other. */
export function FigureTiles({ tiles }: { tiles: readonly FigureTile[] }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      {tiles.map(([value, label]) => (
        <Paper key={label} p="md">
          <Text fz={22} fw={600} className="numbers">
            {value}
          </Text>
          <Text size="sm" className="quiet">
            {label}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
