import {
  Autocomplete,
  Collapse,
  Group,
  MultiSelect,
  NumberInput,
  Pill,
  SegmentedControl,
  Select,
  SimpleGrid,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useEmptied } from '../kit/emptied.ts';
import { itemKey } from '../kit/item-key.ts';
import { ItemSearch } from '../kit/item-search.tsx';
import type { ItemLookup } from '../kit/items.ts';
import { readVariables } from '../kit/variables.ts';
import { useConsole } from '../service/console-context.ts';
import type { Setup, VisitorKind } from './setup.ts';
import { text } from './text.ts';

type SetupFormProps = {
  setup: Setup;
  /** Absent: the configuration is given. */
  configurationIds?: string[];
  lookUp: ItemLookup;
  onChange(changes: Partial<Setup>): void;
};

const typingMs = 300;

/** Who looks, where, at which lists. */
export function SetupForm({ setup, configurationIds, lookUp, onChange }: SetupFormProps) {
  const isUnusual = Boolean(setup.context || setup.variables || setup.version || setup.group);
  const [isOpen, more] = useDisclosure(isUnusual);
  return (
    <>
      <Group align="flex-end" gap="sm">
        <VisitorFields setup={setup} onChange={onChange} />
        {configurationIds && (
          <MultiSelect
            label="Configurations"
            data={configurationIds}
            value={setup.configurations}
            onChange={(configurations) => onChange({ configurations })}
            flex="1 1 180px"
            searchable
            nothingFoundMessage="None is called so."
            hidePickedOptions
            size="sm"
          />
        )}
        <NumberInput
          label="Size"
          min={1}
          max={100}
          allowDecimal={false}
          value={setup.size}
          onChange={(size) =>
            typeof size === 'number' && onChange({ size: Math.min(100, Math.max(1, size)) })
          }
          w={76}
          size="sm"
        />
      </Group>
      <UnstyledButton onClick={more.toggle} aria-expanded={isOpen} mt="xs">
        <Group gap={4}>
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          <Text size="xs" className="quiet">
            {text.more}: page, item on display, variables, version
          </Text>
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen} transitionDuration={0}>
        {isOpen && <MoreFields setup={setup} lookUp={lookUp} onChange={onChange} />}
      </Collapse>
      {setup.history.length > 0 && <History setup={setup} lookUp={lookUp} onChange={onChange} />}
    </>
  );
}

type FieldsProps = Pick<SetupFormProps, 'setup' | 'onChange'>;

function VisitorFields({ setup, onChange }: FieldsProps) {
  const labelId = useId();
  const [visitor, setVisitor] = useState(setup.visitor);
  const tell = useDebouncedCallback((value: string) => onChange({ visitor: value.trim() }), typingMs);
  useEffect(() => setVisitor(setup.visitor), [setup.visitor]);
  return (
    <>
      <div>
        <Text size="sm" fw={500} mb={4} component="div" id={labelId}>
          {text.visitor}
        </Text>
        <SegmentedControl
          aria-labelledby={labelId}
          data={Object.entries(text.kinds).map(([value, label]) => ({ value, label }))}
          value={setup.kind}
          onChange={(kind) => onChange({ kind: kind as VisitorKind })}
          size="sm"
          transitionDuration={0}
        />
      </div>
      {setup.kind !== 'stranger' && (
        <TextInput
          label={setup.kind === 'user' ? 'User id' : 'Device id'}
          placeholder={setup.kind === 'user' ? 'e.g. anna' : 'e.g. anna-phone'}
          value={visitor}
          onChange={(event) => {
            setVisitor(event.currentTarget.value);
            tell(event.currentTarget.value);
          }}
          flex="1 1 140px"
        />
      )}
    </>
  );
}

function MoreFields({ setup, lookUp, onChange }: Omit<SetupFormProps, 'configurationIds'>) {
  const { environment } = useConsole();
  const [variables, setVariables] = useState(setup.variables);
  const tell = useDebouncedCallback((value: string) => onChange({ variables: value }), typingMs);
  const arms = (one: { name: string }[]) => [
    { value: '', label: 'as assigned' },
    ...one.map(({ name }) => name),
  ];
  const { context } = setup;
  const page = useEmptied(setup.page, (next) => onChange({ page: next }));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm" spacing="sm">
      <Autocomplete
        label="Page type"
        data={
          environment.pageTypes.length > 0
            ? environment.pageTypes
            : ['home', 'detail', 'overview', 'checkout']
        }
        {...page}
        size="sm"
      />
      <div>
        <ItemSearch label="Item on display" onPick={(name) => onChange({ context: name })} />
        {context && (
          <Pill withRemoveButton onRemove={() => onChange({ context: undefined })} mt={6}>
            <bdi>{lookUp(context)?.title ?? context.itemId}</bdi>
          </Pill>
        )}
      </div>
      <Textarea
        label="Variables"
        description="A JSON object; what the request sends along"
        placeholder='{ "max_price": 50 }'
        autosize
        minRows={1}
        value={variables}
        error={readVariables(variables) ? undefined : text.badVariables}
        onChange={(event) => {
          setVariables(event.currentTarget.value);
          tell(event.currentTarget.value);
        }}
      />
      {environment.versions.length > 0 && (
        <Select
          label="Version"
          data={arms(environment.versions)}
          value={setup.version}
          onChange={(version) => onChange({ version: version ?? '' })}
        />
      )}
      {environment.userGroups.length > 0 && (
        <Select
          label="Group"
          data={arms(environment.userGroups)}
          value={setup.group}
          onChange={(group) => onChange({ group: group ?? '' })}
        />
      )}
    </SimpleGrid>
  );
}

function History({ setup, lookUp, onChange }: Omit<SetupFormProps, 'configurationIds'>) {
  const without = (place: number) => onChange({ history: setup.history.filter((_, i) => i !== place) });
  return (
    <Group gap={6} mt="sm" role="group" aria-label={text.history}>
      <Text size="xs" className="quiet">
        {text.history}:
      </Text>
      {setup.history.map((name, place) => (
        <Pill
          // biome-ignore lint/suspicious/noArrayIndexKey: one item may be clicked twice
          key={`${place} ${itemKey(name)}`}
          withRemoveButton
          onRemove={() => without(place)}
          removeButtonProps={{ 'aria-label': `Take ${name.itemId} out`, tabIndex: 0, 'aria-hidden': false }}
        >
          <bdi>{lookUp(name)?.title ?? name.itemId}</bdi>
        </Pill>
      ))}
    </Group>
  );
}
