import { useQuery } from '@connectrpc/connect-query';
import { Group, Input, MultiSelect, Select, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { AudienceService } from '../../../../../gen/es/personalisation/v1/audience_service_pb.js';
import {
  changed,
  formOf,
  type QueryForm,
  type QueryTest,
  queryForms,
  type SearchWhen,
} from '../../../grammar/search-rules.ts';
import { useValueCounts, ValuePicker } from '../../../grammar/value-picker.tsx';
import { keyWords } from '../../../grammar/words.ts';
import { AddButton, RemoveButton } from '../../../kit/fields.tsx';
import { useConsole } from '../../../service/console-context.ts';
import { t } from '../../../texts/texts.ts';

const mostAudiences = 1_000;

type WhenFieldsProps = {
  when: SearchWhen;
  onChange(when: SearchWhen): void;
  /** Further conditions. */
  children: ReactNode;
};

/** Conditions of a search: query, page, language and audience. */
export function WhenFields({ when, onChange, children }: WhenFieldsProps) {
  const { environments, can } = useConsole();
  const languages = useValueCounts('language', '');
  const set = (changes: SearchWhen) => onChange(changed(when, changes));
  const tags = (key: 'page_types' | 'languages', label: string, data: string[]) => (
    <TagsInput
      label={label}
      placeholder={when[key] ? '' : t('all')}
      data={data}
      value={when[key] ?? []}
      onChange={(values) => set({ [key]: values })}
    />
  );
  return (
    <Stack gap="sm">
      <QueryTests tests={when.queries ?? []} onChange={(queries) => set({ queries })} />
      <Input.Wrapper label={t('Category of the page')}>
        <ValuePicker
          property={{ key: 'categories', type: 'string[]', label: keyWords('categories'), group: '' }}
          values={when.categories ?? []}
          onChange={(categories) => set({ categories: categories.map(String) })}
        />
      </Input.Wrapper>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {tags('page_types', t('Page types'), [...new Set(environments.flatMap((one) => one.pageTypes))])}
        {tags(
          'languages',
          t('Languages'),
          languages.data?.values.map(({ value }) => String(value?.kind.value)) ?? [],
        )}
        {can('audiences') && (
          <Audiences ids={when.audience_ids ?? []} onChange={(audience_ids) => set({ audience_ids })} />
        )}
        {children}
      </SimpleGrid>
    </Stack>
  );
}

/** Shows deleted audiences by their IDs. */
function Audiences({ ids, onChange }: { ids: string[]; onChange(ids: string[]): void }) {
  const { environment } = useConsole();
  const request = { environment: environment.name, pageSize: mostAudiences };
  const { data, error } = useQuery(AudienceService.method.listAudiences, request);
  const known = (data?.audiences ?? []).map(({ audienceId, audienceName }) => ({
    value: audienceId,
    label: audienceName,
  }));
  const unknown = ids.filter((id) => !known.some(({ value }) => value === id));
  return (
    <MultiSelect
      label={t('Audiences')}
      placeholder={ids.length > 0 ? '' : t('all')}
      data={[...known, ...unknown.map((id) => ({ value: id, label: id }))]}
      value={ids}
      onChange={onChange}
      error={error?.rawMessage}
      nothingFoundMessage={data && !error ? t('No audience yet.') : undefined}
      searchable
    />
  );
}

function QueryTests({ tests, onChange }: { tests: QueryTest[]; onChange(tests: QueryTest[]): void }) {
  const hint = t('Case, accents and punctuation are ignored.');
  return (
    <Input.Wrapper label={t('Query')} description={hint} labelElement="div">
      <Stack gap="xs" mt={6}>
        {tests.map((test, index) => (
          <QueryLine
            // biome-ignore lint/suspicious/noArrayIndexKey: tests have no id
            key={index}
            test={test}
            onChange={(next) => onChange(tests.with(index, next))}
            onRemove={() => onChange(tests.toSpliced(index, 1))}
          />
        ))}
        <AddButton onClick={() => onChange([...tests, { contains: '' }])}>{t('Add a query')}</AddButton>
      </Stack>
    </Input.Wrapper>
  );
}

const forms: Record<QueryForm, { label: string; example: string }> = {
  exact: { label: t('is exactly'), example: t('red sofa') },
  contains: { label: t('contains the words'), example: t('sofa') },
  pattern: { label: t('matches the pattern'), example: t('cheap * sofa*') },
};

type QueryLineProps = { test: QueryTest; onChange(test: QueryTest): void; onRemove(): void };

function QueryLine({ test, onChange, onRemove }: QueryLineProps) {
  const form = formOf(test);
  const typed = test[form] ?? '';
  return (
    <Group gap="xs" wrap="nowrap">
      <Select
        aria-label={t('Operator')}
        data={queryForms.map((value) => ({ value, label: forms[value].label }))}
        value={form}
        onChange={(next) => next && onChange({ [next as QueryForm]: typed })}
        w={160}
      />
      <TextInput
        aria-label={t('Query')}
        placeholder={forms[form].example}
        maxLength={256}
        value={typed}
        onChange={(event) => onChange({ [form]: event.currentTarget.value })}
        flex={1}
        miw={0}
      />
      <RemoveButton name={typed || t('the query')} onClick={onRemove} />
    </Group>
  );
}
