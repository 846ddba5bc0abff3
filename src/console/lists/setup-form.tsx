import {
  Autocomplete,
  Group,
  MultiSelect,
  Pill,
  Select,
  SimpleGrid,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import { Choice, CountField, LateInput, RemovablePill, useEmptied } from '../kit/fields.tsx';
import { OpenArrow } from '../kit/icons.ts';
import { itemKey } from '../kit/item-names.ts';
import { ItemSearch } from '../kit/item-search.tsx';
import type { ItemLookup } from '../kit/items.ts';
import { Hint } from '../kit/page.tsx';
import { readVariables } from '../kit/variables.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import type { Setup, VisitorKind } from './setup.ts';

type FieldsProps = { setup: Setup; lookUp: ItemLookup; onChange(changes: Partial<Setup>): void };

type SetupFormProps = FieldsProps & {
  /** Offered rule sets; absent where the rule set is fixed. */
  configurationIds?: string[];
};

/** Visitor, page and rule sets of a preview. */
export function SetupForm({ setup, configurationIds, lookUp, onChange }: SetupFormProps) {
  const isUnusual = Boolean(setup.context || setup.variables || setup.version || setup.group);
  const [isOpen, more] = useDisclosure(isUnusual);
  return (
    <>
      <Group align="flex-end" gap="sm">
        <VisitorFields kind={setup.kind} visitor={setup.visitor} onChange={onChange} />
        {configurationIds && (
          <MultiSelect
            label={t('Rule sets')}
            data={configurationIds}
            value={setup.configurations}
            onChange={(configurations) => onChange({ configurations })}
            flex="1 1 180px"
            searchable
            nothingFoundMessage={t('No matching rule set.')}
            hidePickedOptions
            size="sm"
          />
        )}
        <CountField
          label={t('Size')}
          min={1}
          max={100}
          value={setup.size}
          onChange={(size) => onChange({ size: Math.min(100, Math.max(1, size)) })}
          w={76}
        />
      </Group>
      <UnstyledButton onClick={more.toggle} aria-expanded={isOpen} mt="xs">
        <Group gap={4}>
          <OpenArrow isOpen={isOpen} size={14} />
          <Hint>{t('More: page, item on display, variables, version')}</Hint>
        </Group>
      </UnstyledButton>
      {isOpen && <MoreFields setup={setup} lookUp={lookUp} onChange={onChange} />}
      {setup.history.length > 0 && <History setup={setup} lookUp={lookUp} onChange={onChange} />}
    </>
  );
}

const kinds: Record<VisitorKind, string> = { new: t('New visitor'), user: t('User'), device: t('Device') };

type VisitorFieldsProps = {
  kind: VisitorKind;
  visitor: string;
  onChange(changes: { kind?: VisitorKind; visitor?: string }): void;
};

export function VisitorFields({ kind, visitor, onChange }: VisitorFieldsProps) {
  const labelId = useId();
  return (
    <>
      <div>
        <Text size="sm" fw={500} mb={4} component="div" id={labelId}>
          {t('Visitor')}
        </Text>
        <Choice
          aria-labelledby={labelId}
          labels={kinds}
          value={kind}
          onChange={(next) => onChange({ kind: next })}
          size="sm"
        />
      </div>
      {kind !== 'new' && (
        <LateInput
          label={kind === 'user' ? t('User ID') : t('Device ID')}
          placeholder={kind === 'user' ? t('e.g. anna') : t('e.g. anna-phone')}
          value={visitor}
          onChange={(next) => onChange({ visitor: next })}
          flex="1 1 140px"
        />
      )}
    </>
  );
}

const usualPageTypes = ['home', 'detail', 'overview', 'checkout'];

function MoreFields({ setup, lookUp, onChange }: FieldsProps) {
  const { environment } = useConsole();
  const { context } = setup;
  const page = useEmptied(setup.page, (next) => onChange({ page: next }));
  const variant = (key: 'version' | 'group', label: string, variants: { name: string }[]) =>
    variants.length > 0 && (
      <Select
        label={label}
        data={[{ value: '', label: t('as assigned') }, ...variants.map(({ name }) => name)]}
        value={setup[key]}
        onChange={(name) => onChange({ [key]: name ?? '' })}
      />
    );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm" spacing="sm">
      <Autocomplete
        label={t('Page type')}
        data={environment.pageTypes.length > 0 ? environment.pageTypes : usualPageTypes}
        {...page}
        size="sm"
      />
      <div>
        <ItemSearch label={t('Item on display')} onPick={(name) => onChange({ context: name })} />
        {context && (
          <Pill withRemoveButton onRemove={() => onChange({ context: undefined })} mt={6}>
            <bdi>{lookUp(context)?.title ?? context.itemId}</bdi>
          </Pill>
        )}
      </div>
      <LateInput
        label={t('Variables')}
        description={t('A JSON object that the request sends')}
        placeholder={'{ "max_price": 50 }'}
        value={setup.variables}
        error={
          readVariables(setup.variables) ? undefined : t('Must be a JSON object, e.g. { "max_price": 50 }.')
        }
        onChange={(variables) => onChange({ variables })}
      />
      {variant('version', t('Version'), environment.versions)}
      {variant('group', t('User group'), environment.userGroups)}
    </SimpleGrid>
  );
}

function History({ setup, lookUp, onChange }: FieldsProps) {
  return (
    <Group gap={6} mt="sm" role="group" aria-label={t('Simulated history')}>
      <Hint>{t('Simulated history')}:</Hint>
      {setup.history.map((name, index) => (
        <RemovablePill
          // biome-ignore lint/suspicious/noArrayIndexKey: an item may occur twice
          key={`${index} ${itemKey(name)}`}
          name={name.itemId}
          onRemove={() => onChange({ history: setup.history.toSpliced(index, 1) })}
        >
          <bdi>{lookUp(name)?.title ?? name.itemId}</bdi>
        </RemovablePill>
      ))}
    </Group>
  );
}
