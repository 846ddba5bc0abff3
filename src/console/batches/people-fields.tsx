import { useQuery } from '@connectrpc/connect-query';
import {
  Button,
  FileButton,
  Group,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Textarea,
  Title,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { FileUp } from 'lucide-react';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { useConsole } from '../service/console-context.ts';
import { type Draft, whos } from './draft.ts';
import { text, whoWords } from './text.ts';

const mostAudiences = 1_000;

type PeopleFieldsProps = {
  draft: Draft;
  /** The ids as they were typed, and as they are read. */
  written: string;
  ids: readonly string[];
  onWrite(written: string): void;
  onChange(changes: Partial<Draft>): void;
};

/** Whose lists are made. */
export function PeopleFields({ draft, written, ids, onWrite, onChange }: PeopleFieldsProps) {
  const { can } = useConsole();
  const { who, days, audience } = draft;
  const offered = whos.filter((one) => one !== 'audience' || one === who || can('audiences'));
  const isNarrow = useMediaQuery('(max-width: 30em)');
  return (
    <Paper p="md" miw={0} component="section" aria-label={text.who}>
      <Title order={2} mb="sm">
        {text.who}
      </Title>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={text.who}
          data={offered.map((value) => ({ value, label: whoWords[value] }))}
          value={who}
          onChange={(next) => onChange({ who: whos.find((one) => one === next) })}
          transitionDuration={0}
          orientation={isNarrow ? 'vertical' : 'horizontal'}
          fullWidth
        />
        {who === 'active' && (
          <NumberInput
            label={text.days}
            description={text.daysHint}
            min={1}
            max={3_650}
            allowDecimal={false}
            value={days}
            onChange={(value) => typeof value === 'number' && onChange({ days: value })}
          />
        )}
        {who === 'audience' && <AudienceSelect id={audience} onChange={(id) => onChange({ audience: id })} />}
        {(who === 'users' || who === 'devices') && (
          <Ids written={written} count={ids.length} onWrite={onWrite} />
        )}
      </Stack>
    </Paper>
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
      label={text.audience}
      description={text.audienceHint}
      data={isUnknown ? [...known, { value: id, label: id }] : known}
      value={id || null}
      onChange={(next) => onChange(next ?? '')}
      error={error?.rawMessage}
      nothingFoundMessage={data && !error ? text.noAudience : undefined}
      searchable
    />
  );
}

function Ids({ written, count, onWrite }: { written: string; count: number; onWrite(ids: string): void }) {
  const read = async (file: File | null) => file && onWrite(await file.text());
  return (
    <>
      <Textarea
        label={text.ids}
        description={text.idsHint(formatCount(count))}
        minRows={6}
        maxRows={14}
        autosize
        value={written}
        onChange={(event) => onWrite(event.currentTarget.value)}
      />
      <Group>
        <FileButton onChange={read} accept=".txt,.csv,text/plain,text/csv">
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<FileUp size={14} aria-hidden />}>
              {text.file}
            </Button>
          )}
        </FileButton>
      </Group>
    </>
  );
}
