import { Box, Group, SegmentedControl } from '@mantine/core';
import { Search } from 'lucide-react';
import { LateInput } from '../kit/fields.tsx';
import { Empty, ErrorNotice, Loading } from '../kit/page.tsx';
import { Answer } from '../results/answer.tsx';
import { anonymous, useSearchPreview } from '../results/preview.ts';
import { useAddress } from '../service/address.ts';
import { Completions } from './completions.tsx';
import { Facets, useFacets } from './facets.tsx';

const typingMs = 180;

type Key = 'q' | 'kind' | 'visitor';
type Values = Partial<Record<Key, string>>;

/** Explained results while typing. */
export function TrySearch() {
  const { values, set } = useAddress<Key>();
  const { q = '', kind = 'stranger', visitor: id = '' } = values;
  const visitor = {
    deviceId: kind === 'device' && id ? id : anonymous,
    userId: kind === 'user' && id ? id : undefined,
  };
  const facets = useFacets();
  const { data, error, isPlaceholderData, refetch } = useSearchPreview({ q, visitor, ...facets.request });
  return (
    <>
      <SearchFields values={values} onChange={set} />
      <Completions q={q} visitor={visitor} onPick={(picked) => set({ q: picked })} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!q && (
        <Empty icon={Search} title="Enter a query">
          An empty search shows a visitor their best items.
        </Empty>
      )}
      {q && !data && !error && <Loading h={300} mt="lg" />}
      {q && data && (
        <Box mt="lg">
          <Facets counted={data.results?.facets ?? []} total={data.results?.totalSize} {...facets} />
          <Answer answer={data} isStale={isPlaceholderData} />
        </Box>
      )}
    </>
  );
}

function SearchFields({ values, onChange }: { values: Values; onChange(values: Values): void }) {
  const { q = '', kind = 'stranger', visitor = '' } = values;
  return (
    <Group align="flex-end" gap="sm">
      <LateInput
        label="Query"
        placeholder="e.g. trial shoes"
        leftSection={<Search size={15} aria-hidden />}
        pauseMs={typingMs}
        maxLength={1024}
        value={q}
        onChange={(typed) => onChange({ q: typed })}
        flex="3 1 260px"
      />
      <SegmentedControl
        aria-label="Visitor"
        data={[
          { value: 'stranger', label: 'New visitor' },
          { value: 'user', label: 'User' },
          { value: 'device', label: 'Device' },
        ]}
        value={kind}
        onChange={(next) => onChange({ kind: next === 'stranger' ? '' : next })}
      />
      {kind !== 'stranger' && (
        <LateInput
          label={kind === 'user' ? 'User ID' : 'Device ID'}
          placeholder="e.g. anna"
          pauseMs={typingMs}
          value={visitor}
          onChange={(id) => onChange({ visitor: id })}
          flex="1 1 140px"
        />
      )}
    </Group>
  );
}
