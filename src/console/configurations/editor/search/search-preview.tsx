import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Configuration } from '../../../../../gen/es/personalisation/v1/configuration_pb.js';
import { formOf, type SearchRules } from '../../../grammar/search-rules.ts';
import { LateInput } from '../../../kit/fields.tsx';
import { Search } from '../../../kit/icons.ts';
import { Empty, ErrorNotice, Loading } from '../../../kit/page.tsx';
import { Answer } from '../../../results/answer.tsx';
import { useSearchPreview } from '../../../results/preview.ts';
import { useAddress } from '../../../service/address.ts';
import { t } from '../../../texts/texts.ts';

type SearchPreviewProps = {
  configurationId: string;
  rules: SearchRules;
  /** Undefined while the draft has faults. */
  message?: Configuration;
};

type Key = 'q' | 'page' | 'category' | 'language' | 'user';

/** Search with the draft. */
export function SearchPreview({ configurationId, rules, message }: SearchPreviewProps) {
  const { values, set } = useAddress<Key>();
  const { queries = [], page_types, categories, languages, audience_ids } = rules.when ?? {};
  const q = values.q ?? firstQuery(queries);
  const page = {
    pageType: values.page ?? page_types?.[0],
    category: values.category ?? categories?.[0],
    language: values.language ?? languages?.[0],
  };
  const drafts = useMemo(() => (message ? [message] : []), [message]);
  const { data, error, isPlaceholderData, refetch } = useSearchPreview(
    { q, page, visitor: { userId: values.user }, drafts },
    message !== undefined,
  );
  const applies = data?.explanation?.configurations.some((one) => one.configurationId === configurationId);
  const field = (key: Key, label: string, value: string | undefined, isShown: boolean) =>
    isShown && <LateInput label={label} value={value ?? ''} onChange={(next) => set({ [key]: next })} />;
  return (
    <Stack gap="sm">
      <LateInput
        label={t('Try a query')}
        placeholder={t('Query')}
        leftSection={<Search size={15} />}
        maxLength={1024}
        value={q}
        onChange={(typed) => set({ q: typed })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {field('page', t('Page type'), page.pageType, page_types !== undefined)}
        {field('category', t('Category'), page.category, categories !== undefined)}
        {field('language', t('Language'), page.language, languages !== undefined)}
        {field('user', t('User ID'), values.user, audience_ids !== undefined)}
      </SimpleGrid>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!message && (
        <Text size="xs" c="var(--warn)" role="status">
          {t('Fix the faults to update the preview.')}
        </Text>
      )}
      {q === '' && (
        <Empty icon={Search} title={t('Enter a query')}>
          {t('The results show the effect of the draft, for you only.')}
        </Empty>
      )}
      {q !== '' && message && !data && !error && <Loading h={240} />}
      {q !== '' && data && (
        <>
          <Text size="xs" role="status" c={applies ? undefined : 'var(--warn)'}>
            {applies
              ? t('The draft applies to this search.')
              : t('The draft does not apply to this search: its conditions under “When” do not match.')}
          </Text>
          <Answer answer={data} isStale={isPlaceholderData} />
        </>
      )}
    </Stack>
  );
}

/** Text of the first test, without wildcards. */
function firstQuery([first]: NonNullable<SearchRules['when']>['queries'] & object): string {
  return first ? (first[formOf(first)] ?? '').replaceAll('*', ' ').replace(/\s+/g, ' ').trim() : '';
}
