import { useQuery } from '@connectrpc/connect-query';
import {
  Button,
  FileButton,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Textarea,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { FileUp } from '../kit/icons.ts';
import { Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { type Choice, choices, type Draft } from './draft.ts';

const mostAudiences = 1_000;

const choiceLabels: Record<Choice, string> = {
  active: t('Recently active'),
  audience: t('An audience'),
  users: t('Users'),
  devices: t('Devices'),
};

type RecipientFieldsProps = {
  draft: Draft;
  /** The IDs as text. */
  typed: string;
  ids: readonly string[];
  onType(text: string): void;
  onChange(changes: Partial<Draft>): void;
};

/** People to create lists for. */
export function RecipientFields({ draft, typed, ids, onType, onChange }: RecipientFieldsProps) {
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
          <NumberInput
            label={t('Days')}
            description={t('Includes people with events in the last 1 to 3,650 days')}
            min={1}
            max={3_650}
            allowDecimal={false}
            value={days}
            onChange={(value) => typeof value === 'number' && onChange({ days: value })}
          />
        )}
        {who === 'audience' && <AudienceSelect id={audience} onChange={(id) => onChange({ audience: id })} />}
        {(who === 'users' || who === 'devices') && <Ids typed={typed} count={ids.length} onType={onType} />}
      </Stack>
    </Section>
  );
}

function AudienceSelect({ id, onChange }: { id: string; onChange(id: string): void }) {
  const { environment, can } = useConsole();
  const { data, error } = useQuery(
    AudienceService.method.listAudiences,
    { environment: environment.name, pageSize: mostAudiences },
    { enabled: can('audiences') },
  );
  const known = (data?.audiences ?? []).map(({ audienceId, audienceName }) => ({
    value: audienceId,
    label: audienceName,
  }));
  const isUnknown = id !== '' && !known.some(({ value }) => value === id);
  return (
    <Select
      label={t('Audience')}
      description={t('Without its control group')}
      data={isUnknown ? [...known, { value: id, label: id }] : known}
      value={id || null}
      onChange={(next) => onChange(next ?? '')}
      error={error?.rawMessage}
      nothingFoundMessage={data && !error ? t('No audience yet.') : undefined}
      searchable
    />
  );
}

function Ids({ typed, count, onType }: { typed: string; count: number; onType(text: string): void }) {
  const read = async (file: File | null) => file && onType(await file.text());
  return (
    <>
      <Textarea
        label={t('IDs, one per line')}
        description={t('{count} IDs; at most 100,000', { count: formatCount(count) })}
        minRows={6}
        maxRows={14}
        autosize
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
      />
      <Group>
        <FileButton onChange={read} accept=".txt,.csv,text/plain,text/csv">
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<FileUp size={14} aria-hidden />}>
              {t('Choose a file')}
            </Button>
          )}
        </FileButton>
      </Group>
    </>
  );
}
