import { useQuery } from '@connectrpc/connect-query';
import {
  Alert,
  Badge,
  Box,
  Group,
  Paper,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type { SearchExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatShare } from '../kit/format.ts';
import { useItems } from '../kit/items.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Completions } from './completions.tsx';
import { ResultRow } from './result-row.tsx';
import { kindWords, text } from './text.ts';

const typingMs = 180;
const shownCount = 20;

type Key = 'q' | 'kind' | 'visitor';

/** Results as one types, with what the words were taken for. */
export function TrySearch() {
  const { environment } = useConsole();
  const { values, set } = useAddress<Key>();
  const { q = '', kind = 'stranger', visitor = '' } = values;
  const who = {
    deviceId: kind === 'device' && visitor ? visitor : 'anonymous',
    userId: kind === 'user' && visitor ? visitor : undefined,
  };
  const { data, error, isPlaceholderData, refetch } = useQuery(
    PreviewService.method.previewSearch,
    {
      environment: environment.name,
      request: {
        q,
        pageType: 'search',
        ...who,
        limit: shownCount,
        listSize: shownCount,
      },
    },
    { enabled: q.trim() !== '', placeholderData: keepPreviousData },
  );
  const hits = data?.explanation?.lists[0]?.items ?? [];
  const ids = useMemo(() => (data?.explanation?.lists[0]?.items ?? []).map(({ itemId }) => itemId), [data]);
  const lookUp = useItems(ids);
  const most = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  return (
    <>
      <SearchFields key={values.q === undefined ? 'none' : 'some'} values={values} onChange={set} />
      {q && <Completions q={q} visitor={who} onPick={(title) => set({ q: title })} />}
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!q && (
        <Empty icon={Search} title={text.empty}>
          {text.emptyLead}
        </Empty>
      )}
      {q && !data && !error && <Skeleton h={300} mt="lg" />}
      {q && data?.explanation && (
        <Box mt="lg" aria-busy={isPlaceholderData}>
          <Understanding explanation={data.explanation} />
          {hits.length === 0 ? (
            <Empty icon={Search} title={text.nothing}>
              {text.nothingLead}
            </Empty>
          ) : (
            <Stack gap="xs" component="ol" p={0} m={0} mt="md" style={{ listStyle: 'none' }}>
              {hits.map((hit) => (
                <ResultRow key={`${hit.itemType}/${hit.itemId}`} hit={hit} item={lookUp(hit)} most={most} />
              ))}
            </Stack>
          )}
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

/** Corrections, dropped words, and what may stand for each word. */
function Understanding({ explanation }: { explanation: SearchExplanation }) {
  const { words, corrections, droppedWords, queryUsed } = explanation;
  return (
    <Paper p="md" component="section" aria-label={text.understood}>
      <Title order={2} mb="xs">
        {text.understood}
      </Title>
      {corrections.length > 0 && (
        <Alert color="blue" variant="light" mb="sm" py="xs">
          Searched for “<bdi>{queryUsed}</bdi>”:{' '}
          {corrections.map(({ from, to }) => `${from} → ${to}`).join(', ')}
        </Alert>
      )}
      {droppedWords.length > 0 && (
        <Alert color="orange" variant="light" mb="sm" py="xs">
          Nothing in the catalogue stands for {droppedWords.map((word) => `“${word}”`).join(', ')}.
        </Alert>
      )}
      <Stack gap={6}>
        {words.map(({ word, alternatives }) => (
          <Group key={word} gap={6}>
            <Text size="sm" fw={600} miw={80}>
              <bdi>{word}</bdi>
            </Text>
            {alternatives.map(({ kind, text: stands, weight }) => (
              <Badge key={kind + stands} variant="light" color={kind === 'word' ? 'gray' : 'ink'} tt="none">
                <bdi>{stands}</bdi> · {kindWords[kind] ?? kind}
                {weight < 1 && ` · ${formatShare(weight)}`}
              </Badge>
            ))}
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
