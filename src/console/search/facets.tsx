import type { JsonObject } from '@bufbuild/protobuf';
import { Box, Group, MultiSelect, SimpleGrid, Switch } from '@mantine/core';
import type { Facet } from '../../../gen/es/personalisation/v1/search_pb.js';
import type { Scalar } from '../grammar/document.ts';
import { keyWords } from '../grammar/words.ts';
import { formatCount, formatCounted } from '../kit/format.ts';
import { Hint } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

type Picking = {
  isOffered: boolean;
  isOpen: boolean;
  open(opens: boolean): void;
  picks: Record<string, Scalar[]>;
  pick(key: string, values: Scalar[]): void;
};

const mostFacets = 6;

/** Counted properties, and picked values in the address. */
export function useFacets() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'picks' | 'facets'>();
  const facets = environment.itemTypes
    .flatMap(({ properties }) => properties)
    .filter(
      ({ filterable, returnable, type }) =>
        filterable && returnable && (type === 'string' || type === 'string[]' || type === 'boolean'),
    )
    .map(({ name }) => name);
  const keys = ['categories', ...facets].filter((key) => environment.filterFields.includes(key));
  const picks = readPicks(values.picks);
  const isOpen = values.facets === '1';
  const counted = [...new Set(keys)].slice(0, mostFacets);
  return {
    /** Facets change the ranking to one list of items with all words, so they are requested only while open. */
    request: isOpen ? { facets: counted, picks: picks as JsonObject } : {},
    isOffered: counted.length > 0,
    isOpen,
    open: (opens: boolean) => set({ facets: opens ? '1' : '', picks: '' }),
    picks,
    pick(key: string, picked: Scalar[]) {
      const { [key]: _, ...others } = picks;
      const next = picked.length > 0 ? { ...others, [key]: picked } : others;
      set({ picks: Object.keys(next).length > 0 ? JSON.stringify(next) : '' });
    },
  };
}

function readPicks(written: string | undefined): Record<string, Scalar[]> {
  try {
    return JSON.parse(written ?? '{}');
  } catch {
    return {};
  }
}

type FacetsProps = Picking & { counted: Facet[]; total?: number };

/** Values of the results with counts, to filter by. */
export function Facets({ counted, total, picks, pick, isOffered, isOpen, open }: FacetsProps) {
  const shown = counted.filter(({ key, values }) => values.length > 0 || picks[key]);
  if (!isOffered) return null;
  return (
    <Box mb="md">
      <Group justify="space-between" mb="xs" mih={20}>
        <Switch
          size="xs"
          label={t('Filters')}
          checked={isOpen}
          onChange={(event) => open(event.currentTarget.checked)}
        />
        {isOpen && total !== undefined && (
          <Hint className="numbers">
            <span role="status">{t('{items} found', { items: formatCounted(total, 'item') })}</span>
          </Hint>
        )}
      </Group>
      {isOpen && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" role="group" aria-label={t('Filters')}>
          {shown.map(({ key, values }) => (
            <FacetSelect
              key={key}
              name={key}
              values={values}
              picked={picks[key] ?? []}
              onPick={(next) => pick(key, next)}
            />
          ))}
        </SimpleGrid>
      )}
    </Box>
  );
}

type FacetSelectProps = {
  name: string;
  values: Facet['values'];
  picked: Scalar[];
  onPick(values: Scalar[]): void;
};

function FacetSelect({ name, values, picked, onPick }: FacetSelectProps) {
  const counts = new Map(values.map(({ value, count }) => [value?.kind.value as Scalar, count]));
  const all = [...new Set([...counts.keys(), ...picked])];
  return (
    <MultiSelect
      label={keyWords(name)}
      placeholder={picked.length === 0 ? t('any') : ''}
      data={all.map((value) => ({
        value: String(value),
        label: `${value} (${formatCount(counts.get(value) ?? 0)})`,
      }))}
      value={picked.map(String)}
      onChange={(next) => onPick(all.filter((value) => next.includes(String(value))))}
      searchable
    />
  );
}
