import {
  Autocomplete,
  type AutocompleteProps,
  defaultOptionsFilter,
  Group,
  Input,
  NumberInput,
  Stack,
  TextInput,
} from '@mantine/core';
import { AddButton, RemoveButton } from '../kit/fields.tsx';
import { useRuleSets } from '../kit/rule-sets.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { type DraftList, newList } from './draft.ts';

const mostLists = 20;

/** Offers all rule sets while the field holds one of them. */
const unfilteredWhenChosen: AutocompleteProps['filter'] = (input) =>
  input.options.some((option) => 'value' in option && option.value === input.search)
    ? input.options
    : (defaultOptionsFilter(input) as typeof input.options);

type ListFieldsProps = { lists: DraftList[]; onChange(lists: DraftList[]): void };

/** Lists that each person gets. */
export function ListFields({ lists, onChange }: ListFieldsProps) {
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
            <TextInput
              label={t('List name')}
              maxLength={256}
              value={name}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
              flex="1 1 80px"
              miw={0}
            />
            <NumberInput
              label={t('Size')}
              min={1}
              max={1_000}
              allowDecimal={false}
              value={size}
              onChange={(value) => typeof value === 'number' && set(index, { size: value })}
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
