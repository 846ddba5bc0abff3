import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { Search } from 'lucide-react';
import { useMemo } from 'react';
import type { Configuration } from '../../../../../gen/es/personalisation/v1/configuration_pb.js';
import { formOf, type SearchRules } from '../../../grammar/search-rules.ts';
import { Empty } from '../../../kit/empty.tsx';
import { ErrorNotice } from '../../../kit/error-notice.tsx';
import { LateInput } from '../../../kit/late-input.tsx';
import { Answer } from '../../../results/answer.tsx';
import { useSearchPreview } from '../../../results/preview.ts';
import { useAddress } from '../../../service/address.ts';
import { text } from './text.ts';

type SearchPreviewProps = {
  configurationId: string;
  rules: SearchRules;
  /** Undefined while the draft would be refused. */
  message?: Configuration;
};

type Key = 'q' | 'page' | 'category' | 'language' | 'user';

/** A query by the draft, anew with each change. */
export function SearchPreview({ configurationId, rules, message }: SearchPreviewProps) {
  const { values, set } = useAddress<Key>();
  const { queries = [], page_types, categories, languages } = rules.when ?? {};
  const q = values.q ?? firstQuery(queries);
  const page = {
    pageType: values.page ?? page_types?.[0],
    category: values.category ?? categories?.[0],
    language: values.language ?? languages?.[0],
  };
  const drafts = useMemo(() => (message ? [message] : []), [message]);
  const { data, error, isPlaceholderData, refetch } = useSearchPreview(
    { q, page, who: { userId: values.user }, drafts },
    message !== undefined,
  );
  const steers = data?.explanation?.configurations.some((one) => one.configurationId === configurationId);
  return (
    <Stack gap="sm">
      <LateInput
        label={text.tryQuery}
        placeholder={text.tryPlaceholder}
        leftSection={<Search size={15} aria-hidden />}
        maxLength={1024}
        value={q}
        onChange={(typed) => set({ q: typed })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {page_types && (
          <LateInput label="Page type" value={page.pageType ?? ''} onChange={(next) => set({ page: next })} />
        )}
        {categories && (
          <LateInput
            label="Category"
            value={page.category ?? ''}
            onChange={(next) => set({ category: next })}
          />
        )}
        {languages && (
          <LateInput
            label="Language"
            value={page.language ?? ''}
            onChange={(next) => set({ language: next })}
          />
        )}
        {rules.when?.audience_ids && (
          <LateInput
            label="User id"
            placeholder="e.g. anna"
            value={values.user ?? ''}
            onChange={(next) => set({ user: next })}
          />
        )}
      </SimpleGrid>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!message && (
        <Text size="xs" c="var(--warn)" role="status">
          The preview waits until the draft can be published.
        </Text>
      )}
      {q === '' && (
        <Empty icon={Search} title={text.tryEmpty}>
          {text.tryEmptyLead}
        </Empty>
      )}
      {q !== '' && message && !data && !error && <Skeleton h={240} />}
      {q !== '' && data && (
        <>
          <Text size="xs" role="status" c={steers ? undefined : 'var(--warn)'}>
            {steers ? text.steers : text.steersNot}
          </Text>
          <Answer answer={data} isStale={isPlaceholderData} />
        </>
      )}
    </Stack>
  );
}

/** What the first test takes, its stars left out. */
function firstQuery(queries: NonNullable<SearchRules['when']>['queries'] = []): string {
  const [first] = queries;
  return first ? (first[formOf(first)] ?? '').replaceAll('*', ' ').replace(/\s+/g, ' ').trim() : '';
}
