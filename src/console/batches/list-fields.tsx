import { useQuery } from '@connectrpc/connect-query';
import { ActionIcon, Autocomplete, Button, Group, Input, NumberInput, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useConsole } from '../service/console-context.ts';
import { type DraftList, newList } from './draft.ts';
import { text } from './text.ts';

const mostLists = 20;

type ListFieldsProps = { lists: DraftList[]; onChange(lists: DraftList[]): void };

/** The lists that each person gets. */
export function ListFields({ lists, onChange }: ListFieldsProps) {
  const { can } = useConsole();
  const { data } = useQuery(
    ConfigurationService.method.listConfigurations,
    {},
    { enabled: can('configurations', 'everywhere') },
  );
  const known = data?.configurationIds ?? [];
  const set = (place: number, changes: Partial<DraftList>) =>
    onChange(lists.map((list, i) => (i === place ? { ...list, ...changes } : list)));
  return (
    <Input.Wrapper label={text.lists} labelElement="div">
      <Stack gap="xs" mt={4}>
        {lists.map(({ configuration, name, size }, place) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a list is its place
            key={place}
            gap="xs"
            wrap="nowrap"
            align="flex-end"
          >
            <Autocomplete
              label={text.configuration}
              data={known}
              maxLength={256}
              value={configuration}
              onChange={(next) => set(place, { configuration: next })}
              flex="2 1 120px"
              miw={0}
            />
            <TextInput
              label={text.listName}
              maxLength={256}
              value={name}
              onChange={(event) => set(place, { name: event.currentTarget.value })}
              flex="1 1 80px"
              miw={0}
            />
            <NumberInput
              label={text.listSize}
              min={1}
              max={1_000}
              allowDecimal={false}
              value={size}
              onChange={(value) => typeof value === 'number' && set(place, { size: value })}
              w={76}
            />
            <ActionIcon
              variant="default"
              size={34}
              aria-label={`Take out ${name || 'the list'}`}
              onClick={() => onChange(lists.toSpliced(place, 1))}
            >
              <X size={15} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={13} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          disabled={lists.length >= mostLists}
          onClick={() => onChange([...lists, newList(known[0] ?? '', lists)])}
        >
          {text.addList}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
