import { Group, Select } from '@mantine/core';
import { useEffect, useState } from 'react';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import type { ConfigurationSummary } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useAudiences } from '../kit/audiences.ts';
import { Choice, LateInput } from '../kit/fields.tsx';
import { useItems } from '../kit/items.ts';
import { PageFrame, Unread } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { type Setup, writeSetup } from '../lists/setup.ts';
import { SetupForm, VisitorFields } from '../lists/setup-form.tsx';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';
import { BoardOf } from './board.tsx';
import { places, readView, type View, type ViewKey } from './view.ts';

/** A list, the results of a query, or a category, to arrange by hand. */
export function Page() {
  const { values, set } = useAddress<ViewKey>();
  const { data, error, refetch } = useRuleSets();
  if (!data) return <Unread error={error} onRetry={refetch} />;
  const view = readView(values, data);
  return (
    <PageFrame
      title={t('Merchandising')}
      lead={t(
        'Drag items to a position, pin, hide, boost or bury them. Changes go to the draft of the rule set.',
      )}
      isWide
    >
      <Choices view={view} summaries={data} onChange={set} />
      <BoardOf key={view.configurationId} view={view} />
    </PageFrame>
  );
}

type ChoicesProps = {
  view: View;
  summaries: readonly ConfigurationSummary[];
  onChange(values: Partial<Record<ViewKey, string>>): void;
};

const noIds: string[] = [];

/** Place, rule set and visitor. */
function Choices({ view, summaries, onChange }: ChoicesProps) {
  const { place, q, category, configurationId, isKnown, setup } = view;
  const lookUp = useItems(noIds);
  const idsOf = (isSearch: boolean) =>
    summaries.filter(({ search }) => search === isSearch).map((one) => one.configurationId);
  const change = (changes: Partial<Setup>) => onChange(writeSetup(changes, ''));
  const isOwn = configurationId !== '' && !isKnown;
  return (
    <Group align="flex-end" gap="sm">
      <Choice
        aria-label={t('Place')}
        labels={places}
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
  const { data } = useAudiences([]);
  const [chosen, setChosen] = useState('');
  const { data: members } = useRead(
    AudienceService.method.getAudience,
    { audienceId: chosen, limit: 1 },
    { enabled: chosen !== '' },
  );
  const member = members?.audience?.users[0]?.id;
  useEffect(() => {
    if (chosen === '' || member === undefined) return;
    onPick(member);
    setChosen('');
  }, [chosen, member, onPick]);
  if (data.length === 0) return null;
  return (
    <Select
      label={t('As a member of')}
      placeholder={t('Audience')}
      data={data}
      value={null}
      onChange={(audienceId) => setChosen(audienceId ?? '')}
      flex="1 1 140px"
      maw={220}
    />
  );
}
