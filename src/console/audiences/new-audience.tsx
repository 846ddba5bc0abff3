import { Button, Group, NumberInput, Paper, Select, SimpleGrid, Stack, TagsInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useLocation } from 'wouter';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { CheckField, LateInput, RemoveButton, useEmptied } from '../kit/fields.tsx';
import { itemKey, parseItemKey } from '../kit/item-names.ts';
import { ItemLine } from '../kit/item-picture.tsx';
import { ItemSearch } from '../kit/item-search.tsx';
import { useItems } from '../kit/items.ts';
import { ErrorNotice, Hint, PageFrame } from '../kit/page.tsx';
import { useChange } from '../kit/queries.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { readVariables } from '../kit/variables.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { type Draft, type DraftKey, draftOf, itemsOf, joined, mailingsOf, requestOf } from './draft.ts';

/** Form of an audience; the address holds the draft until it is built. */
export function NewAudience() {
  const { environment, pathTo } = useConsole();
  const [, navigate] = useLocation();
  const { values, set } = useAddress<DraftKey>();
  const draft = draftOf(values, environment);
  const build = useChange(AudienceService.method.createAudience);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** Callbacks of `mutate` do not run after the user has left the page. */
    build.mutate(
      { audience: requestOf(draft) },
      { onSuccess: ({ audience }) => navigate(pathTo(`audiences/${audience?.audienceId}`)) },
    );
  };
  const hasVariables = draft.configuration === '' || readVariables(draft.variables) !== undefined;
  const isReady = draft.name.trim() !== '' && itemsOf(draft).length > 0 && hasVariables;
  return (
    <PageFrame
      title={t('New audience')}
      lead={t('Finds the most interested people, from all activity so far. A control group is optional.')}
    >
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Promotion draft={draft} onChange={(items) => set({ items })} />
          <Terms draft={draft} onChange={set} />
        </SimpleGrid>
        {build.error && <ErrorNotice error={build.error} />}
        <Group justify="flex-end" mt="lg">
          <Button
            variant="filled"
            type="submit"
            loading={build.isPending}
            disabled={!isReady}
            title={isReady ? undefined : t('Enter a name, and add at least one item.')}
          >
            {t('Build audience')}
          </Button>
        </Group>
      </form>
    </PageFrame>
  );
}

function Promotion({ draft, onChange }: { draft: Draft; onChange(items: string): void }) {
  const keys = itemsOf(draft);
  const names = keys.map(parseItemKey);
  const lookUp = useItems(names.map(({ itemId }) => itemId));
  return (
    <Paper p="md" miw={0} component="section" aria-label={t('Promoted items')}>
      <ItemSearch
        label={t('Add an item')}
        onPick={(name) => onChange(joined([...new Set([...keys, itemKey(name)])]))}
      />
      <Stack gap="xs" mt="md">
        {keys.length === 0 && <Hint size="sm">{t('Add at least one item.')}</Hint>}
        {names.map((name, index) => (
          <Group key={keys[index]} gap="sm" wrap="nowrap">
            <ItemLine item={lookUp(name)} name={name} />
            <RemoveButton
              name={lookUp(name)?.title ?? name.itemId}
              onClick={() => onChange(joined(keys.toSpliced(index, 1)))}
            />
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}

type TermsProps = { draft: Draft; onChange(change: Partial<Draft>): void };

function Terms({ draft, onChange }: TermsProps) {
  const number = (key: 'size' | 'mailed' | 'hold', label: string, hint: string, max: number) => (
    <NumberField
      label={label}
      description={hint}
      min={key === 'size' ? 1 : 0}
      max={max}
      allowDecimal={key === 'hold'}
      value={draft[key]}
      onChange={(value) => onChange({ [key]: value })}
    />
  );
  return (
    <Paper p="md" miw={0}>
      <Stack gap="sm">
        <LateInput
          label={t('Name')}
          description={t('Campaigns and their events refer to it; it also decides the control group.')}
          maxLength={256}
          value={draft.name}
          onChange={(name) => onChange({ name })}
        />
        <ChannelField draft={draft} onChange={onChange} />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" style={{ alignItems: 'end' }}>
          {number('size', t('Size'), t('people at most'), 10_000_000)}
          {number('mailed', t('Not contacted in the last'), t('days; 0 to include all'), 3_650)}
          {number('hold', t('Control group (%)'), t('0 to 90'), 90)}
        </SimpleGrid>
        {draft.mailed !== '0' && (
          <TagsInput
            label={t('Campaigns to check')}
            description={t('A campaign, or the ID or name of an audience.')}
            placeholder={draft.mailings === '' ? t('All campaigns') : undefined}
            value={mailingsOf(draft)}
            onChange={(mailings) => onChange({ mailings: joined(mailings) })}
          />
        )}
        <RuleSetField value={draft.configuration} onChange={(configuration) => onChange({ configuration })} />
        {draft.configuration && (
          <LateInput
            label={t('Variables')}
            description={t('A JSON object; required for variables without a default.')}
            placeholder='{"name": "value"}'
            value={draft.variables}
            error={readVariables(draft.variables) ? undefined : t('Must be a JSON object.')}
            onChange={(variables) => onChange({ variables })}
          />
        )}
        <CheckField
          label={t('Exclude people who bought a promoted item')}
          checked={draft.bought === '1'}
          onChange={(isOn) => onChange({ bought: isOn ? '1' : '0' })}
        />
      </Stack>
    </Paper>
  );
}

function ChannelField({ draft: { integration: value }, onChange }: TermsProps) {
  const { integrationTypes } = useConsole().environment;
  const change = (integration: string | null) => onChange({ integration: integration ?? '' });
  if (integrationTypes.length === 0)
    return <LateInput label={t('Channel')} value={value} onChange={change} />;
  return <Select label={t('Channel')} data={integrationTypes} value={value} onChange={change} />;
}

type NumberFieldProps = {
  label: string;
  description: string;
  min: number;
  max: number;
  allowDecimal: boolean;
  value: string;
  onChange(value: string): void;
};

function NumberField({ value, onChange, ...rest }: NumberFieldProps) {
  const field = useEmptied<string | number>(value, (next) => onChange(String(next)));
  return <NumberInput {...rest} {...field} hideControls />;
}

/** Hidden for clients that may not read rule sets. */
function RuleSetField({ value, onChange }: { value: string; onChange(id: string): void }) {
  const { can } = useConsole();
  const enabled = can('configurations');
  const { data, error } = useRuleSets({ enabled });
  if (!enabled || error || data?.length === 0) return null;
  return (
    <Select
      label={t('Restrict by rule set')}
      description={t('Its rules apply to the items of a person’s history, e.g. at least 2 items of a brand.')}
      placeholder={t('Default of the deployment')}
      data={data?.map(({ configurationId }) => configurationId) ?? []}
      disabled={!data}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Clear the rule set') }}
    />
  );
}
