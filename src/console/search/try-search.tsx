import { Box, Group, SegmentedControl, Skeleton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { Answer } from '../results/answer.tsx';
import { anonymous, useSearchPreview } from '../results/preview.ts';
import { useAddress } from '../service/address.ts';
import { Completions } from './completions.tsx';
import { Facets, useFacets } from './facets.tsx';
import { text } from './text.ts';

const typingMs = 180;

type Key = 'q' | 'kind' | 'visitor';

/** Results as one types, with what the words were taken for. */
export function TrySearch() {
  const { values, set } = useAddress<Key>();
  const { q = '', kind = 'stranger', visitor = '' } = values;
  const who = {
    deviceId: kind === 'device' && visitor ? visitor : anonymous,
    userId: kind === 'user' && visitor ? visitor : undefined,
  };
  const facets = useFacets();
  const { data, error, isPlaceholderData, refetch } = useSearchPreview({ q, who, ...facets.asked });
  return (
    <>
      <SearchFields key={values.q === undefined ? 'none' : 'some'} values={values} onChange={set} />
      <Completions q={q} visitor={who} onPick={(picked) => set({ q: picked })} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!q && (
        <Empty icon={Search} title={text.empty}>
          {text.emptyLead}
        </Empty>
      )}
      {q && !data && !error && <Skeleton h={300} mt="lg" />}
      {q && data && (
        <Box mt="lg">
          <Facets counted={data.results?.facets ?? []} total={data.results?.totalSize} {...facets} />
          <Answer answer={data} isStale={isPlaceholderData} />
        </Box>
      )}
    </>
  );
}

type SearchFieldsProps = {
  values: Partial<Record<Key, string>>;
  onChange(values: Partial<Record<Key, string>>): void;
};

function SearchFields({ values, onChange }: SearchFieldsProps) {
  const [q, setQ] = useState(values.q ?? '');
  const [visitor, setVisitor] = useState(values.visitor ?? '');
  const tell = useDebouncedCallback(onChange, typingMs);
  const kind = values.kind ?? 'stranger';
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label="Query"
        placeholder="e.g. trial shoes"
        leftSection={<Search size={15} aria-hidden />}
        value={q}
        maxLength={1024}
        onChange={(event) => {
          setQ(event.currentTarget.value);
          tell({ q: event.currentTarget.value });
        }}
        flex="3 1 260px"
      />
      <SegmentedControl
        aria-label="Visitor"
        data={[
          { value: 'stranger', label: 'Stranger' },
          { value: 'user', label: 'User' },
          { value: 'device', label: 'Device' },
        ]}
        value={kind}
        onChange={(next) => onChange({ kind: next === 'stranger' ? '' : next })}
        transitionDuration={0}
      />
      {kind !== 'stranger' && (
        <TextInput
          label={kind === 'user' ? 'User id' : 'Device id'}
          placeholder="e.g. anna"
          value={visitor}
          onChange={(event) => {
            setVisitor(event.currentTarget.value);
            tell({ visitor: event.currentTarget.value.trim() });
          }}
          flex="1 1 140px"
        />
      )}
    </Group>
  );
}
