import {
  Group,
  Input,
  MultiSelect,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Document, Json, JsonObject } from '../../../grammar/document.ts';
import {
  changed,
  formOf,
  memberText,
  type QueryForm,
  type QueryTest,
  queryForms,
  type SearchRules,
  type SearchWhen,
  withSearchRules,
} from '../../../grammar/search-rules.ts';
import { useValueCounts, ValuePicker } from '../../../grammar/value-picker.tsx';
import { keyWords } from '../../../grammar/words.ts';
import { useAudiences } from '../../../kit/audiences.ts';
import { AddButton, RemoveButton, TextField } from '../../../kit/fields.tsx';
import { Heading } from '../../../kit/page.tsx';
import { useConsole } from '../../../service/console-context.ts';
import { t } from '../../../texts/texts.ts';
import { Hides, Pins } from './item-lines.tsx';

type SearchSectionProps = { document: Document; rules: SearchRules; onChange(document: Document): void };

/** Conditions of the searches, and what they show besides rules. */
export function SearchSection({ document, rules, onChange }: SearchSectionProps) {
  const { environments } = useConsole();
  const set = (changes: Partial<SearchRules>) => onChange(withSearchRules(document, changed(rules, changes)));
  const number = (key: 'priority' | 'places', label: string, hint: string, min: number, max: number) => (
    <NumberInput
      label={label}
      description={hint}
      min={min}
      max={max}
      allowDecimal={false}
      value={rules[key] ?? ''}
      onChange={(value) => set({ [key]: typeof value === 'number' ? value : undefined })}
    />
  );
  return (
    <>
      <section aria-label={t('When')}>
        <Heading
          title={t('When')}
          lead={t('All conditions must match; several values mean “any of”; empty means all.')}
        />
        <WhenFields when={rules.when ?? {}} onChange={(when) => set({ when })}>
          {environments.length > 1 && (
            <MultiSelect
              label={t('Environments')}
              placeholder={rules.environments ? '' : t('all')}
              data={environments.map(({ name }) => name)}
              value={rules.environments ?? []}
              onChange={(names) => set({ environments: names })}
            />
          )}
        </WhenFields>
      </section>
      <section aria-label={t('Then show')}>
        <Heading title={t('Then show')} lead={t('The rules and preferences below apply too.')} />
        <Stack gap="md">
          <Pins pins={rules.pins ?? []} onChange={(pins) => set({ pins })} />
          <Hides hides={rules.hides ?? []} onChange={(hides) => set({ hides })} />
          <TextField
            label={t('Redirect')}
            description={t('A URL, or a path of your site. The answer still contains the results.')}
            placeholder="/sofas"
            maxLength={2048}
            value={rules.redirect ?? ''}
            onChange={(redirect) => set({ redirect })}
          />
          <BannerList
            banners={rules.promoted_content ?? []}
            onChange={(banners) => set({ promoted_content: banners })}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {number(
              'priority',
              t('Priority'),
              t('−1,000 to 1,000; decides between pins and redirects'),
              -1000,
              1000,
            )}
            {number('places', t('Apply limits to the top'), t('1 to 100 results [10]'), 1, 100)}
          </SimpleGrid>
        </Stack>
      </section>
    </>
  );
}

const mostBanners = 10;

/** Common fields; the names are free. */
const newBanner: JsonObject = { image: '', link: '', text: '' };

type BannerListProps = { banners: JsonObject[]; onChange(banners: JsonObject[]): void };

/** Banners, which the answer returns as they are. */
function BannerList({ banners, onChange }: BannerListProps) {
  const hint = t('Returned with the results; your page displays them.');
  return (
    <Input.Wrapper label={t('Banners')} description={hint} labelElement="div">
      <Stack gap="xs" mt={6}>
        {banners.map((banner, index) => (
          <Banner
            // biome-ignore lint/suspicious/noArrayIndexKey: banners have no id
            key={index}
            name={t('Banner {number}', { number: index + 1 })}
            banner={banner}
            onChange={(next) => onChange(banners.with(index, next))}
            onRemove={() => onChange(banners.toSpliced(index, 1))}
          />
        ))}
        <AddButton disabled={banners.length >= mostBanners} onClick={() => onChange([...banners, newBanner])}>
          {t('Add a banner')}
        </AddButton>
      </Stack>
    </Input.Wrapper>
  );
}

type BannerProps = { name: string; banner: JsonObject; onChange(banner: JsonObject): void; onRemove(): void };

function Banner({ name, banner, onChange, onRemove }: BannerProps) {
  const members = Object.entries(banner);
  const set = (index: number, ...member: [string, Json][]) =>
    onChange(Object.fromEntries(members.toSpliced(index, 1, ...member)));
  return (
    <Paper p="sm" role="group" aria-label={name}>
      <Group justify="space-between" mb="xs">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <RemoveButton name={name} onClick={onRemove} />
      </Group>
      <Stack gap="xs">
        {members.map(([key, value], index) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a field keeps its index while its name is typed
            key={index}
            gap="xs"
            wrap="nowrap"
          >
            <MemberName
              name={key}
              isTaken={(other) => other !== key && Object.hasOwn(banner, other)}
              onChange={(next) => set(index, [next, value])}
            />
            <TextField
              aria-label={t('Value of {field}', { field: key })}
              value={memberText(value)}
              onChange={(text) => set(index, [key, readMember(text, value)])}
              flex={1}
              miw={0}
            />
            <RemoveButton name={key} onClick={() => set(index)} />
          </Group>
        ))}
        <AddButton
          variant="subtle"
          size="compact-xs"
          disabled={'' in banner}
          onClick={() => onChange({ ...banner, '': '' })}
        >
          {t('Add a field')}
        </AddButton>
      </Stack>
    </Paper>
  );
}

type MemberNameProps = { name: string; isTaken(name: string): boolean; onChange(name: string): void };

/** Reports a name once it is unique: typing `text_color` passes through `text`. */
function MemberName({ name, isTaken, onChange }: MemberNameProps) {
  const [taken, setTaken] = useState<string>();
  const change = (typed: string) => {
    setTaken(isTaken(typed) ? typed : undefined);
    if (!isTaken(typed)) onChange(typed);
  };
  return (
    <TextField
      aria-label={t('Field')}
      value={taken ?? name}
      error={taken !== undefined}
      onChange={change}
      onBlur={() => setTaken(undefined)}
      w={110}
    />
  );
}

/** Reads a value that was not text as JSON, if it is valid. */
function readMember(typed: string, before: Json): Json {
  if (typeof before === 'string') return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

type WhenFieldsProps = {
  when: SearchWhen;
  onChange(when: SearchWhen): void;
  /** Further conditions. */
  children: ReactNode;
};

/** Conditions of a search: query, page, language and audience. */
function WhenFields({ when, onChange, children }: WhenFieldsProps) {
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

function Audiences({ ids, onChange }: { ids: string[]; onChange(ids: string[]): void }) {
  return (
    <MultiSelect
      label={t('Audiences')}
      placeholder={ids.length > 0 ? '' : t('all')}
      value={ids}
      onChange={onChange}
      {...useAudiences(ids)}
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
      <TextField
        aria-label={t('Query')}
        placeholder={forms[form].example}
        maxLength={256}
        value={typed}
        onChange={(text) => onChange({ [form]: text })}
        flex={1}
        miw={0}
      />
      <RemoveButton name={typed || t('the query')} onClick={onRemove} />
    </Group>
  );
}
