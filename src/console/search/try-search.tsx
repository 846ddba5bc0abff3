import { Box, Group, SegmentedControl, Skeleton } from '@mantine/core';
import { Search } from 'lucide-react';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { LateInput } from '../kit/late-input.tsx';
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
      <SearchFields values={values} onChange={set} />
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
  const kind = values.kind ?? 'stranger';
  return (
    <Group align="flex-end" gap="sm">
      <LateInput
        label="Query"
        placeholder="e.g. trial shoes"
        leftSection={<Search size={15} aria-hidden />}
        pauseMs={typingMs}
        maxLength={1024}
        value={values.q ?? ''}
        onChange={(q) => onChange({ q })}
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
        <LateInput
          label={kind === 'user' ? 'User id' : 'Device id'}
          placeholder="e.g. anna"
          pauseMs={typingMs}
          value={values.visitor ?? ''}
          onChange={(visitor) => onChange({ visitor })}
          flex="1 1 140px"
        />
      )}
    </Group>
  );
}
