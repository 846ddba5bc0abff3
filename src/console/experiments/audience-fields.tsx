import { NumberInput, SimpleGrid, TagsInput } from '@mantine/core';
import { useState } from 'react';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import { CheckField, TextField } from '../kit/fields.tsx';
import { Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import type { FieldsProps } from './form.tsx';

/** Fields of requests, with the values that the deployment declares. */
const variables: Record<string, [label: string, values: (environment: EnvironmentSettings) => string[]]> = {
  page_type: [t('Page types'), ({ pageTypes }) => pageTypes],
  channel: [t('Channels'), ({ channels }) => channels],
  user_group: [t('User groups'), ({ userGroups }) => userGroups.map(({ name }) => name)],
  language: [t('Languages of searches'), ({ defaultLanguage }) => [defaultLanguage]],
  context_item_type: [t('Item types of the page'), ({ itemTypes }) => itemTypes.map(({ name }) => name)],
  context_item: [t('Items of the page'), () => []],
};

const always = ['page_type', 'channel'];
/** Fields of an audience. */
const mostVariables = 10;

/** Requests that take part, by any variable that they have, and how many of them. */
export function Audience({ draft, onChange }: FieldsProps) {
  const { environment } = useConsole();
  const { audience = {}, variants } = draft;
  const [added, setAdded] = useState<string[]>([]);
  const others = [...new Set([...Object.keys(audience), ...added])].filter((name) => !always.includes(name));
  const keep = (names: readonly string[], changes: Record<string, string[]> = {}) =>
    onChange({
      audience: Object.fromEntries(
        Object.entries({ ...audience, ...changes }).filter(
          ([name, values]) => names.includes(name) && [values].flat().length > 0,
        ),
      ),
    });
  return (
    <Section title={t('Audience and traffic')} lead={t('Empty means all requests.')}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {[...always, ...others].map((name) => (
          <TagsInput
            key={name}
            label={variables[name]?.[0] ?? name}
            data={variables[name]?.[1](environment)}
            value={[audience[name] ?? []].flat().map(String)}
            onChange={(values) => keep([...always, ...others], { [name]: values })}
          />
        ))}
        <TagsInput
          label={t('Other variables of the request')}
          description={t('Fields of requests, or your own variables.')}
          data={Object.keys(variables).filter((name) => !always.includes(name))}
          maxTags={mostVariables - always.length}
          value={others}
          onChange={(names) => {
            setAdded(names);
            keep([...always, ...names]);
          }}
        />
        <Percent
          label={t('Traffic (%)')}
          description={t('Of the devices, at most.')}
          value={draft.traffic ?? 1}
          onChange={(traffic) => onChange({ traffic })}
        />
        <TextField
          label={t('Group')}
          description={t('Experiments of a group exclude each other.')}
          maxLength={64}
          value={draft.group ?? ''}
          onChange={(text) => onChange({ group: text || undefined })}
        />
      </SimpleGrid>
      {variants.length === 2 && draft.guardrails.length === 0 && (
        <CheckField
          mt="md"
          label={t('Mix both variants in each list')}
          description={t('Finds preferences by clicks with about a tenth of the devices.')}
          checked={draft.interleaved ?? false}
          onChange={(isOn) => onChange({ interleaved: isOn || undefined })}
        />
      )}
    </Section>
  );
}

type PercentProps = { label: string; description?: string; value: number; onChange(share: number): void };

/** Share, shown in percent. */
export const Percent = ({ value, onChange, ...rest }: PercentProps) => (
  <NumberInput
    {...rest}
    min={0}
    max={100}
    hideControls
    value={Math.round(value * 1e5) / 1e3}
    onChange={(next) => onChange(Number(next) / 100)}
  />
);
