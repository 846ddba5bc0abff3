import { useQuery } from '@connectrpc/connect-query';
import { Group, SegmentedControl, Select } from '@mantine/core';
import { useEffect, useState } from 'react';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import type { ConfigurationSummary } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { LateInput } from '../kit/fields.tsx';
import { useItems } from '../kit/items.ts';
import { type Setup, writeSetup } from '../lists/setup.ts';
import { SetupForm, VisitorFields } from '../lists/setup-form.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { places, type View, type ViewKey } from './view.ts';

type ChoicesProps = {
  view: View;
  summaries: readonly ConfigurationSummary[];
  onChange(values: Partial<Record<ViewKey, string>>): void;
};

const noIds: string[] = [];

/** Place, rule set and visitor. */
export function Choices({ view, summaries, onChange }: ChoicesProps) {
  const { place, q, category, configurationId, isKnown, setup } = view;
  const lookUp = useItems(noIds);
  const idsOf = (isSearch: boolean) =>
    summaries.filter(({ search }) => search === isSearch).map((one) => one.configurationId);
  const change = (changes: Partial<Setup>) => onChange(writeSetup(changes, ''));
  const isOwn = configurationId !== '' && !isKnown;
  return (
    <Group align="flex-end" gap="sm">
      <SegmentedControl
        aria-label={t('Place')}
        data={Object.entries(places).map(([value, label]) => ({ value, label }))}
        value={place}
        onChange={(next) => onChange({ place: next, rules: '' })}
      />
      {place === 'list' && (
        <Select
          label={t('List')}
          data={idsOf(false)}
          value={configurationId}
          onChange={(list) => list && onChange({ list })}
          searchable
          flex="1 1 180px"
          maw={280}
        />
      )}
      {place === 'query' && (
        <LateInput
          label={t('Query')}
          value={q}
          onChange={(next) => onChange({ q: next, rules: '' })}
          flex="1 1 180px"
        />
      )}
      {place === 'category' && (
        <LateInput
          label={t('Category')}
          placeholder={t('e.g. Home/Lamps')}
          value={category}
          onChange={(next) => onChange({ category: next, rules: '' })}
          flex="1 1 180px"
        />
      )}
      {place !== 'list' && configurationId !== '' && (
        <Select
          label={t('Rule set')}
          data={[
            ...(isOwn
              ? [{ value: configurationId, label: t('New: {configurationId}', { configurationId }) }]
              : []),
            ...idsOf(true),
          ]}
          value={configurationId}
          onChange={(rules) => rules && onChange({ rules })}
          searchable
          flex="1 1 180px"
          maw={280}
        />
      )}
      <MemberOf onPick={(user) => onChange({ kind: 'user', visitor: user })} />
      {place === 'list' ? (
        <div style={{ flex: '1 1 100%' }}>
          <SetupForm setup={setup} lookUp={lookUp} onChange={change} />
        </div>
      ) : (
        <VisitorFields kind={setup.kind} visitor={setup.visitor} onChange={change} />
      )}
    </Group>
  );
}

/** Shows the board to the most interested member of an audience. */
function MemberOf({ onPick }: { onPick(user: string): void }) {
  const { environment, can } = useConsole();
  const isEnabled = can('audiences');
  const { data } = useQuery(
    AudienceService.method.listAudiences,
    { environment: environment.name },
    { enabled: isEnabled },
  );
  const [chosen, setChosen] = useState('');
  const { data: members } = useQuery(
    AudienceService.method.getAudience,
    { environment: environment.name, audienceId: chosen, limit: 1 },
    { enabled: chosen !== '' },
  );
  const member = members?.audience?.users[0]?.id;
  useEffect(() => {
    if (chosen === '' || member === undefined) return;
    onPick(member);
    setChosen('');
  }, [chosen, member, onPick]);
  const audiences = data?.audiences ?? [];
  if (audiences.length === 0) return null;
  return (
    <Select
      label={t('As a member of')}
      placeholder={t('Audience')}
      data={audiences.map(({ audienceId, audienceName }) => ({
        value: audienceId,
        label: audienceName || audienceId,
      }))}
      value={null}
      onChange={(audienceId) => setChosen(audienceId ?? '')}
      flex="1 1 140px"
      maw={220}
    />
  );
}
