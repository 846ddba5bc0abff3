import { create } from '@bufbuild/protobuf';
import { Fieldset, Group, NumberInput, Select, Stack } from '@mantine/core';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import {
  type ExperimentVariant,
  ExperimentVariantSchema,
} from '../../../gen/es/personalisation/v1/experiment_pb.js';
import { modelName, models } from '../kit/colors.ts';
import { AddButton, RemoveButton, TextField } from '../kit/fields.tsx';
import { useRead } from '../kit/queries.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const mostVariants = 10;

type VariantFieldsProps = { variants: ExperimentVariant[]; onChange(variants: ExperimentVariant[]): void };

export function VariantFields({ variants, onChange }: VariantFieldsProps) {
  const add = () =>
    onChange([
      ...variants,
      create(ExperimentVariantSchema, { name: `variant-${variants.length}`, share: 1 }),
    ]);
  return (
    <Stack gap="sm">
      {variants.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name is being typed
        <Fieldset key={index} legend={index === 0 ? t('Control') : t('Variant {number}', { number: index })}>
          <Variant
            variant={variant}
            onChange={(changes) => onChange(variants.with(index, { ...variant, ...changes }))}
            onRemove={
              index > 0 && variants.length > 2 ? () => onChange(variants.toSpliced(index, 1)) : undefined
            }
          />
        </Fieldset>
      ))}
      {variants.length < mostVariants && <AddButton onClick={add}>{t('Add a variant')}</AddButton>}
    </Stack>
  );
}

type VariantProps = {
  variant: ExperimentVariant;
  onChange(changes: Partial<ExperimentVariant>): void;
  onRemove?(): void;
};

function Variant({ variant, onChange, onRemove }: VariantProps) {
  const { name, share = 1 } = variant;
  return (
    <Stack gap="sm">
      <Group align="flex-end" wrap="nowrap">
        <TextField
          flex={1}
          label={t('Name')}
          maxLength={32}
          value={name}
          onChange={(name) => onChange({ name })}
        />
        <NumberInput
          label={t('Share')}
          w={110}
          min={0.001}
          max={1_000}
          value={share}
          onChange={(next) => onChange({ share: Number(next) || 1 })}
        />
        {onRemove && <RemoveButton name={name} onClick={onRemove} />}
      </Group>
      <Changes variant={variant} onChange={onChange} />
    </Stack>
  );
}

/** Rule sets and models that a variant changes. */
function Changes({ variant, onChange }: VariantProps) {
  const { configurations, models: factors } = variant;
  const without = <Value,>(map: Record<string, Value>, key: string) =>
    Object.fromEntries(Object.entries(map).filter(([one]) => one !== key));
  return (
    <>
      {Object.entries(configurations).map(([id, version]) => (
        <Group key={id} wrap="nowrap" align="flex-end">
          <VersionSelect
            id={id}
            version={version}
            onChange={(next) => onChange({ configurations: { ...configurations, [id]: next } })}
          />
          <RemoveButton name={id} onClick={() => onChange({ configurations: without(configurations, id) })} />
        </Group>
      ))}
      {Object.entries(factors).map(([model, factor]) => (
        <Group key={model} wrap="nowrap" align="flex-end">
          <NumberInput
            flex={1}
            label={t('Weight of {model}', { model: modelName(model) })}
            description={t('A factor: 0 switches the model off, 2 doubles it.')}
            min={0}
            max={10}
            value={factor}
            onChange={(next) => onChange({ models: { ...factors, [model]: Number(next) } })}
          />
          <RemoveButton
            name={modelName(model)}
            onClick={() => onChange({ models: without(factors, model) })}
          />
        </Group>
      ))}
      <Adders variant={variant} onChange={onChange} />
    </>
  );
}

function Adders({ variant: { configurations, models: factors }, onChange }: VariantProps) {
  const { can } = useConsole();
  const ruleSets = useRuleSets({ enabled: can('configurations') });
  return (
    <Group grow>
      <Adder
        label={t('Add a rule set')}
        data={(ruleSets.data ?? [])
          .filter(({ configurationId }) => !(configurationId in configurations))
          .map((one) => ({ value: one.configurationId, label: one.name || one.configurationId }))}
        onAdd={(id) => {
          const version = ruleSets.data?.find((one) => one.configurationId === id)?.version ?? 1;
          onChange({ configurations: { ...configurations, [id]: version } });
        }}
      />
      <Adder
        label={t('Add a model')}
        data={models
          .filter((model) => !(model in factors))
          .map((value) => ({ value, label: modelName(value) }))}
        onAdd={(model) => onChange({ models: { ...factors, [model]: 1 } })}
      />
    </Group>
  );
}

type AdderProps = { label: string; data: { value: string; label: string }[]; onAdd(value: string): void };

const Adder = ({ label, data, onAdd }: AdderProps) => (
  <Select
    aria-label={label}
    placeholder={label}
    searchable
    data={data}
    value={null}
    onChange={(value) => value && onAdd(value)}
  />
);

type VersionSelectProps = { id: string; version: number; onChange(version: number): void };

function VersionSelect({ id, version, onChange }: VersionSelectProps) {
  const { data } = useRead(ConfigurationService.method.listConfigurationVersions, { configurationId: id });
  const versions = (data?.versions ?? []).filter(({ deletion }) => !deletion);
  const labels = new Map([
    [String(version), t('Version {version}', { version })],
    ...versions.map(
      (one) =>
        [
          String(one.version),
          t('Version {version} {comment}', { version: one.version, comment: one.comment }).trim(),
        ] as const,
    ),
  ]);
  return (
    <Select
      flex={1}
      label={id}
      allowDeselect={false}
      data={[...labels].map(([value, label]) => ({ value, label }))}
      value={String(version)}
      onChange={(next) => next && onChange(Number(next))}
    />
  );
}
