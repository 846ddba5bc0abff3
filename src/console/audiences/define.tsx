import { useMutation, useQuery } from '@connectrpc/connect-query';
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import { X } from 'lucide-react';
import type { FormEvent } from 'react';
import { useLocation } from 'wouter';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useEmptied } from '../kit/emptied.ts';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { itemKey, parseItemKey } from '../kit/item-key.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { ItemSearch } from '../kit/item-search.tsx';
import { useItems } from '../kit/items.ts';
import { LateInput } from '../kit/late-input.tsx';
import { PageFrame } from '../kit/page.tsx';
import { useRefresh } from '../kit/refresh.ts';
import { readVariables } from '../kit/variables.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { type Draft, type DraftKey, draftOf, itemsOf, joined, mailingsOf, requestOf } from './draft.ts';
import { text } from './text.ts';

/** Defines an audience, which the address holds until it is computed. */
export function Define() {
  const { environment, pathTo } = useConsole();
  const [, navigate] = useLocation();
  const refresh = useRefresh();
  const { values, set } = useAddress<DraftKey>();
  const draft = draftOf(values, environment);
  const compute = useMutation(AudienceService.method.createAudience, refresh);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** Told to `mutate`, it does not lead somebody away who has gone on to another page. */
    compute.mutate(
      { environment: environment.name, audience: requestOf(draft) },
      { onSuccess: ({ audience }) => navigate(pathTo(`audiences/${audience?.audienceId}`)) },
    );
  };
  const isReady = draft.name.trim() !== '' && itemsOf(draft).length > 0 && hasVariables(draft);
  return (
    <PageFrame title={text.defineTitle} lead={text.defineLead}>
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Promotion draft={draft} onChange={(items) => set({ items })} />
          <Terms draft={draft} onChange={set} />
        </SimpleGrid>
        {compute.error && <ErrorNotice error={compute.error} />}
        <Group justify="flex-end" mt="lg">
          <Button type="submit" loading={compute.isPending} disabled={!isReady}>
            {text.compute}
          </Button>
        </Group>
      </form>
    </PageFrame>
  );
}

/** They are asked for with a configuration alone. */
const hasVariables = ({ configuration, variables }: Draft): boolean =>
  configuration === '' || readVariables(variables) !== undefined;

function Promotion({ draft, onChange }: { draft: Draft; onChange(items: string): void }) {
  const keys = itemsOf(draft);
  const lookUp = useItems(keys.map((key) => parseItemKey(key).itemId));
  return (
    <Paper p="md" miw={0} component="section" aria-label={text.promoted}>
      <ItemSearch
        label={text.addItem}
        onPick={(name) => onChange(joined([...new Set([...keys, itemKey(name)])]))}
      />
      <Stack gap="xs" mt="md">
        {keys.length === 0 && (
          <Text size="sm" className="quiet">
            {text.noItems}
          </Text>
        )}
        {keys.map((key) => {
          const name = parseItemKey(key);
          const item = lookUp(name);
          const title = item?.title ?? name.itemId;
          return (
            <Group key={key} gap="sm" wrap="nowrap">
              <ItemPicture item={item} name={name.itemId} size="small" />
              <Text size="sm" flex={1} style={{ overflowWrap: 'anywhere' }}>
                <bdi>{title}</bdi>
              </Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Take out ${title}`}
                onClick={() => onChange(joined(keys.filter((one) => one !== key)))}
              >
                <X size={15} aria-hidden />
              </ActionIcon>
            </Group>
          );
        })}
      </Stack>
    </Paper>
  );
}

type TermsProps = { draft: Draft; onChange(change: Partial<Draft>): void };

function Terms({ draft, onChange }: TermsProps) {
  const { environment } = useConsole();
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
          label={text.name}
          description={text.nameHint}
          maxLength={256}
          value={draft.name}
          onChange={(name) => onChange({ name })}
        />
        {environment.integrationTypes.length > 0 ? (
          <Select
            label={text.integration}
            data={environment.integrationTypes}
            value={draft.integration}
            onChange={(integration) => onChange({ integration: integration ?? '' })}
          />
        ) : (
          <LateInput
            label={text.integration}
            value={draft.integration}
            onChange={(integration) => onChange({ integration })}
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {number('size', text.size, text.sizeHint, 10_000_000)}
          {number('mailed', text.mailed, text.mailedHint, 3_650)}
          {number('hold', text.holdOut, text.holdOutHint, 90)}
        </SimpleGrid>
        {draft.mailed !== '0' && (
          <TagsInput
            label={text.mailings}
            description={text.mailingsHint}
            placeholder={draft.mailings === '' ? text.allMailings : undefined}
            value={mailingsOf(draft)}
            onChange={(mailings) => onChange({ mailings: joined(mailings) })}
          />
        )}
        <ConfigurationChoice
          value={draft.configuration}
          onChange={(configuration) => onChange({ configuration })}
        />
        {draft.configuration && (
          <LateInput
            label={text.variables}
            description={text.variablesHint}
            placeholder='{"name": "value"}'
            value={draft.variables}
            error={readVariables(draft.variables) ? undefined : text.badVariables}
            onChange={(variables) => onChange({ variables })}
          />
        )}
        <Checkbox
          label={text.bought}
          checked={draft.bought === '1'}
          onChange={(event) => onChange({ bought: event.currentTarget.checked ? '1' : '0' })}
        />
      </Stack>
    </Paper>
  );
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

/** Offered to who may read configurations. */
function ConfigurationChoice({ value, onChange }: { value: string; onChange(id: string): void }) {
  const { can } = useConsole();
  const isOffered = can('configurations', 'everywhere');
  const { data, error } = useQuery(
    ConfigurationService.method.listConfigurations,
    {},
    { enabled: isOffered },
  );
  if (!isOffered || error || data?.configurationIds.length === 0) return null;
  return (
    <Select
      label={text.configuration}
      description={text.configurationHint}
      placeholder={text.usualConfiguration}
      data={data?.configurationIds ?? []}
      disabled={!data}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': text.usualConfiguration }}
    />
  );
}
