import {
  Autocomplete,
  type AutocompleteProps,
  Button,
  defaultOptionsFilter,
  FileButton,
  Group,
  Input,
  MultiSelect,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { keyWords } from '../grammar/words.ts';
import { useAudiences } from '../kit/audiences.ts';
import { AddButton, CountField, RemoveButton, TextArea, TextField, useEmptied } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { FileUp } from '../kit/icons.ts';
import { ErrorNotice, PageFrame, Section } from '../kit/page.tsx';
import { useChange } from '../kit/queries.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import {
  addressOf,
  type Choice,
  choices,
  type Draft,
  type DraftKey,
  type DraftList,
  draftOf,
  isReady,
  newList,
  readIds,
  requestOf,
} from './draft.ts';

/** Form of a batch; the address holds the draft, except for IDs. */
export function NewBatch() {
  const { environment, pathTo } = useConsole();
  const [, navigate] = useLocation();
  const { values, set } = useAddress<DraftKey>();
  const [typed, setTyped] = useState('');
  const draft = draftOf(values, environment.pageTypes);
  const ids = readIds(typed);
  const change = (changes: Partial<Draft>) => set(addressOf({ ...draft, ...changes }));
  const create = useChange(BatchService.method.createBatch);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** Callbacks of `mutate` do not run after the user has left the page. */
    create.mutate(
      { batch: requestOf(draft, ids) },
      { onSuccess: ({ batch }) => navigate(pathTo(`batches/${batch?.batchId}`)) },
    );
  };
  return (
    <PageFrame
      title={t('New batch')}
      lead={t('Creates lists as a file; sends nothing. Each list has a request ID for your events.')}
    >
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <RecipientFields draft={draft} typed={typed} ids={ids} onType={setTyped} onChange={change} />
          <Contents draft={draft} onChange={change} />
        </SimpleGrid>
        {create.error && <ErrorNotice error={create.error} />}
        <Group justify="flex-end" mt="lg">
          <Button variant="filled" type="submit" loading={create.isPending} disabled={!isReady(draft, ids)}>
            {t('Create batch')}
          </Button>
        </Group>
      </form>
    </PageFrame>
  );
}

type ContentsProps = { draft: Draft; onChange(changes: Partial<Draft>): void };

function Contents({ draft, onChange }: ContentsProps) {
  const { environment } = useConsole();
  const page = useEmptied(draft.page, (next) => onChange({ page: next }));
  return (
    <Section title={t('Content')}>
      <Stack gap="sm">
        <ListFields lists={draft.lists} onChange={(lists) => onChange({ lists })} />
        <Autocomplete label={t('Page type')} data={environment.pageTypes} maxLength={256} {...page} />
        <MultiSelect
          label={t('Item fields, besides the ID')}
          data={environment.returnedFields.map((key) => ({ value: key, label: keyWords(key) }))}
          value={draft.fields}
          onChange={(fields) => onChange({ fields })}
          searchable
        />
      </Stack>
    </Section>
  );
}

const mostLists = 20;

/** Offers all rule sets while the field holds one of them. */
const unfilteredWhenChosen: AutocompleteProps['filter'] = (input) =>
  input.options.some((option) => 'value' in option && option.value === input.search)
    ? input.options
    : (defaultOptionsFilter(input) as typeof input.options);

type ListFieldsProps = { lists: DraftList[]; onChange(lists: DraftList[]): void };

/** Lists that each person gets. */
function ListFields({ lists, onChange }: ListFieldsProps) {
  const { can } = useConsole();
  const { data } = useRuleSets({ enabled: can('configurations') });
  const known = data?.map(({ configurationId }) => configurationId) ?? [];
  const set = (index: number, changes: Partial<DraftList>) =>
    onChange(lists.map((list, i) => (i === index ? { ...list, ...changes } : list)));
  return (
    <Input.Wrapper label={t('Lists')} labelElement="div">
      <Stack gap="xs" mt={4}>
        {lists.map(({ configuration, name, size }, index) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a list is its index
            key={index}
            gap="xs"
            wrap="nowrap"
            align="flex-end"
          >
            <Autocomplete
              label={t('Rule set')}
              data={known}
              filter={unfilteredWhenChosen}
              maxLength={256}
              value={configuration}
              onChange={(next) => set(index, { configuration: next })}
              flex="2 1 120px"
              miw={0}
            />
            <TextField
              label={t('List name')}
              maxLength={256}
              value={name}
              onChange={(name) => set(index, { name })}
              flex="1 1 80px"
              miw={0}
            />
            <CountField
              label={t('Size')}
              min={1}
              max={1_000}
              value={size}
              onChange={(value) => set(index, { size: value })}
              w={76}
            />
            <RemoveButton name={name || t('the list')} onClick={() => onChange(lists.toSpliced(index, 1))} />
          </Group>
        ))}
        <AddButton
          disabled={lists.length >= mostLists}
          onClick={() => onChange([...lists, newList(known[0] ?? '', lists)])}
        >
          {t('Add a list')}
        </AddButton>
      </Stack>
    </Input.Wrapper>
  );
}

const choiceLabels: Record<Choice, string> = {
  active: t('Recently active'),
  audience: t('An audience'),
  users: t('Users'),
  devices: t('Devices'),
};

type RecipientFieldsProps = {
  draft: Draft;
  typed: string;
  ids: readonly string[];
  onType(text: string): void;
  onChange(changes: Partial<Draft>): void;
};

/** People to create lists for. */
function RecipientFields({ draft, typed, ids, onType, onChange }: RecipientFieldsProps) {
  const { can } = useConsole();
  const { who, days, audience } = draft;
  const offered = choices.filter((one) => one !== 'audience' || one === who || can('audiences'));
  const isNarrow = useMediaQuery('(max-width: 30em)');
  return (
    <Section title={t('Recipients')}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={t('Recipients')}
          data={offered.map((value) => ({ value, label: choiceLabels[value] }))}
          value={who}
          onChange={(next) => onChange({ who: choices.find((one) => one === next) })}
          orientation={isNarrow ? 'vertical' : 'horizontal'}
          fullWidth
        />
        {who === 'active' && (
          <CountField
            label={t('Days')}
            description={t('Includes people with events in the last 1 to 3,650 days')}
            min={1}
            max={3_650}
            value={days}
            onChange={(value) => onChange({ days: value })}
          />
        )}
        {who === 'audience' && <AudienceSelect id={audience} onChange={(id) => onChange({ audience: id })} />}
        {(who === 'users' || who === 'devices') && <Ids typed={typed} count={ids.length} onType={onType} />}
      </Stack>
    </Section>
  );
}

function AudienceSelect({ id, onChange }: { id: string; onChange(id: string): void }) {
  return (
    <Select
      label={t('Audience')}
      description={t('Without its control group')}
      value={id || null}
      onChange={(next) => onChange(next ?? '')}
      {...useAudiences(id ? [id] : [])}
    />
  );
}

function Ids({ typed, count, onType }: { typed: string; count: number; onType(text: string): void }) {
  const read = async (file: File | null) => file && onType(await file.text());
  return (
    <>
      <TextArea
        label={t('IDs, one per line')}
        description={t('{count} IDs; at most 100,000', { count: formatCount(count) })}
        minRows={6}
        maxRows={14}
        value={typed}
        onChange={onType}
      />
      <Group>
        <FileButton onChange={read} accept=".txt,.csv,text/plain,text/csv">
          {(props) => (
            <Button {...props} size="xs" leftSection={<FileUp size={14} />}>
              {t('Choose a file')}
            </Button>
          )}
        </FileButton>
      </Group>
    </>
  );
}
