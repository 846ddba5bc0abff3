import { useQuery } from '@connectrpc/connect-query';
import {
  ActionIcon,
  Button,
  Group,
  Input,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { Plus, X } from 'lucide-react';
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
import { useConsole } from '../../../service/console-context.ts';
import { formHints, formWords, text } from './text.ts';

const mostAudiences = 1_000;

type WhenFieldsProps = {
  when: SearchWhen;
  onChange(when: SearchWhen): void;
  /** What else limits the searches. */
  children: ReactNode;
};

/** Which searches: by query, page, language and people. */
export function WhenFields({ when, onChange, children }: WhenFieldsProps) {
  const { environments, can } = useConsole();
  const languages = useValueCounts('language', '');
  const set = (changes: SearchWhen) => onChange(changed(when, changes));
  const pageTypes = [...new Set(environments.flatMap((environment) => environment.pageTypes))];
  return (
    <Stack gap="sm">
      <QueryTests tests={when.queries ?? []} onChange={(queries) => set({ queries })} />
      <Input.Wrapper label={text.categories}>
        <ValuePicker
          property={{ key: 'categories', type: 'string[]', label: 'categories', group: '' }}
          values={when.categories ?? []}
          onChange={(categories) => set({ categories: categories.map(String) })}
        />
      </Input.Wrapper>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TagsInput
          label={text.pageTypes}
          placeholder={when.page_types ? '' : text.all}
          data={pageTypes}
          value={when.page_types ?? []}
          onChange={(page_types) => set({ page_types })}
        />
        <TagsInput
          label={text.languages}
          placeholder={when.languages ? '' : text.all}
          data={languages.data?.values.map(({ value }) => String(value?.kind.value)) ?? []}
          value={when.languages ?? []}
          onChange={(languageTags) => set({ languages: languageTags })}
        />
        {can('audiences') && (
          <Audiences ids={when.audience_ids ?? []} onChange={(audience_ids) => set({ audience_ids })} />
        )}
        {children}
      </SimpleGrid>
    </Stack>
  );
}

/** One that is kept no longer stays named, by its id. */
function Audiences({ ids, onChange }: { ids: string[]; onChange(ids: string[]): void }) {
  const { environment } = useConsole();
  const { data, error } = useQuery(AudienceService.method.listAudiences, {
    environment: environment.name,
    pageSize: mostAudiences,
  });
  const known = (data?.audiences ?? []).map(({ audienceId, audienceName }) => ({
    value: audienceId,
    label: audienceName,
  }));
  const unknown = ids.filter((id) => !known.some(({ value }) => value === id));
  return (
    <MultiSelect
      label={text.audiences}
      placeholder={ids.length > 0 ? '' : text.all}
      data={[...known, ...unknown.map((id) => ({ value: id, label: id }))]}
      value={ids}
      onChange={onChange}
      error={error?.rawMessage}
      nothingFoundMessage={data && !error ? 'There is no audience yet.' : undefined}
      searchable
    />
  );
}

function QueryTests({ tests, onChange }: { tests: QueryTest[]; onChange(tests: QueryTest[]): void }) {
  return (
    <Input.Wrapper label={text.queries} description={text.queriesHint} labelElement="div">
      <Stack gap="xs" mt={6}>
        {tests.map((test, place) => (
          <QueryLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a test is its place
            key={place}
            test={test}
            onChange={(next) => onChange(tests.flatMap((one, i) => (i === place ? (next ?? []) : one)))}
          />
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={13} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...tests, { contains: '' }])}
        >
          {text.addQuery}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

type QueryLineProps = { test: QueryTest; onChange(test: QueryTest | undefined): void };

function QueryLine({ test, onChange }: QueryLineProps) {
  const form = formOf(test);
  const typed = test[form] ?? '';
  return (
    <Group gap="xs" wrap="nowrap">
      <Select
        aria-label="How"
        data={queryForms.map((value) => ({ value, label: formWords[value] }))}
        value={form}
        onChange={(next) => next && onChange({ [next as QueryForm]: typed })}
        w={140}
      />
      <TextInput
        aria-label="Query"
        placeholder={formHints[form]}
        maxLength={256}
        value={typed}
        onChange={(event) => onChange({ [form]: event.currentTarget.value })}
        flex={1}
        miw={0}
      />
      <ActionIcon
        variant="default"
        size={34}
        aria-label={`Take out ${typed || 'the query'}`}
        onClick={() => onChange(undefined)}
      >
        <X size={15} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
