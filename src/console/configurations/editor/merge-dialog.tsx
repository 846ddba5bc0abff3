import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ConfigurationService } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document } from '../../grammar/document.ts';
import { mergeParts, type Part, partsOf, type Side } from '../../grammar/merge.ts';
import { useDocumentVersion } from '../../grammar/stored-documents.ts';
import { keyWords } from '../../grammar/words.ts';
import { DialogButtons } from '../../kit/dialog.tsx';
import { Choice } from '../../kit/fields.tsx';
import { formatMoment, momentOf } from '../../kit/format.ts';
import { ErrorNotice, Loading, Section } from '../../kit/page.tsx';
import { useRead } from '../../kit/queries.ts';
import { ChangeList } from '../../kit/snippet.tsx';
import { t } from '../../texts/texts.ts';
import type { Conflict, Draft } from './use-draft.ts';

type ConflictProps = { configurationId: string; draft: Draft; conflict: Conflict };

/** Tells what another user did, when, and offers to merge it. */
export function ConflictNotice(props: ConflictProps & { isOpen: boolean; onOpen(isOpen: boolean): void }) {
  const { configurationId, draft, conflict, isOpen, onOpen } = props;
  const told = useTold(configurationId, conflict);
  return (
    <Alert color="orange" role="alert" mb="md">
      <Group justify="space-between">
        <Text size="sm">{t('{told} Your changes are based on an earlier state.', { told })}</Text>
        <Button size="xs" disabled={!draft.document} onClick={() => onOpen(true)}>
          {t('Review and merge')}
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={() => onOpen(false)} title={t('Merge changes')} size="xl">
        {isOpen && draft.document && (
          <Merge {...props} mine={draft.document} told={told} onClose={() => onOpen(false)} />
        )}
      </Modal>
    </Alert>
  );
}

/** Author and time of the change. */
function useTold(configurationId: string, { stored, shared }: Conflict): string {
  const { data } = useRead(
    ConfigurationService.method.listConfigurationVersions,
    { configurationId, pageSize: 1 },
    { enabled: !shared, staleTime: 0 },
  );
  if (shared)
    return t('{author} saved this draft on {savedAt}.', {
      author: shared.author,
      savedAt: formatMoment(shared.savedAt),
    });
  const newest = data?.versions[0];
  const { version } = stored;
  if (!newest) return t('Version {version} was published.', { version });
  return t('Version {version} was published by {author} on {publishedAt}.', {
    version,
    author: newest.clientName || newest.clientId || t('the service'),
    publishedAt: formatMoment(momentOf(newest.createTime)!),
  });
}

type MergeProps = ConflictProps & { mine: Document; told: string; onClose(): void };

function Merge({ configurationId, draft, conflict, mine, told, onClose }: MergeProps) {
  const { baseVersion, base, shared, stored } = conflict;
  const theirs = (shared ?? stored).document;
  const former = useDocumentVersion(configurationId, base ? 0 : baseVersion);
  const from = base ?? (baseVersion === 0 ? none : former.data);
  const [chosen, setChosen] = useState<Record<string, Side>>({});
  const parts = useMemo(() => from && partsOf(from, mine, theirs), [from, mine, theirs]);
  if (!parts) return former.error ? <ErrorNotice error={former.error} /> : <Loading h={160} />;
  const sides = new Map(parts.map(({ name, side }) => [name, side ?? chosen[name]]));
  const isOpen = [...sides.values()].includes(undefined as unknown as Side);
  const merge = () => {
    draft.merge(
      mergeParts(mine, theirs, (name) => sides.get(name) === 'mine'),
      conflict,
    );
    onClose();
  };
  return (
    <Stack gap="md">
      <Text size="sm">
        {t(
          '{told} Parts that only one of you changed are merged. Choose one side for each part that both changed.',
          { told },
        )}
      </Text>
      {parts.map((part) => (
        <PartSection
          key={part.name}
          part={part}
          chosen={chosen[part.name]}
          onChoose={(side) => setChosen({ ...chosen, [part.name]: side })}
        />
      ))}
      <DialogButtons
        disabled={isOpen}
        title={isOpen ? t('Choose a side for each part first.') : undefined}
        onClick={merge}
        onClose={onClose}
      >
        {t('Merge')}
      </DialogButtons>
    </Stack>
  );
}

const none: Document = {};

type PartProps = { part: Part; chosen: Side | undefined; onChoose(side: Side): void };

function PartSection({ part: { name, side, changes }, chosen, onChoose }: PartProps) {
  const label = partLabel(name);
  const shown: Side[] = side ? [side] : ['mine', 'theirs'];
  const actions = side ? (
    <Text size="sm">{sideLabels[side]}</Text>
  ) : (
    <Choice
      aria-label={t('Keep for {part}', { part: label })}
      labels={{ mine: t('Keep mine'), theirs: t('Take theirs') }}
      value={chosen ?? ''}
      onChange={onChoose}
    />
  );
  return (
    <Section title={label} aria-label={t('Changes of {part}', { part: label })} actions={actions}>
      {shown.map((one) => (
        <Stack key={one} gap={4} mt="xs">
          {!side && (
            <Text size="sm" fw={500}>
              {one === 'mine' ? t('Mine') : t('Theirs')}
            </Text>
          )}
          <ChangeList changes={changes[one]} />
        </Stack>
      ))}
    </Section>
  );
}

const sideLabels: Record<Side, string> = {
  mine: t('Your change is kept'),
  theirs: t('Their change is taken'),
};

const partLabels: Record<string, string> = {
  constraints: t('Rules'),
  limits: t('Diversity limits'),
  active_from: t('Starts'),
  active_until: t('Ends'),
  'search.when': t('Conditions of searches'),
  'search.pins': t('Pinned items'),
  'search.hides': t('Hidden items'),
  'search.promoted_content': t('Banners'),
};

/** `search.places` is “Places”. */
function partLabel(name: string): string {
  const words = keyWords(name.replace(/^search\./, ''));
  return partLabels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
