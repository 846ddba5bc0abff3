import { useMutation } from '@connectrpc/connect-query';
import { Button, Group, Paper, SimpleGrid, TagsInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { FormEvent } from 'react';
import { SynonymService } from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { ErrorNotice } from '../../kit/page.tsx';
import { useRefresh } from '../../kit/queries.ts';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import {
  addressOf,
  type Draft,
  type DraftKey,
  draftOf,
  idOf,
  isComplete,
  noDraft,
  synonymOf,
} from './draft.ts';
import { Trial } from './trial.tsx';

const mostWords = 20;
const longestWord = 100;

const oneWayHint = t('Words in the query; press Enter after each.');
const bothWaysHint = t('Two or more that find the same items; press Enter after each.');

/** Form of a synonym; shows its effect before it can be saved. */
export function Editor() {
  const { environment } = useConsole();
  const { values, set } = useAddress<DraftKey>();
  const draft = draftOf(values);
  const isNew = draft.id === '';
  const trial = useMutation(SynonymService.method.trySynonym);
  const save = useMutation(SynonymService.method.putSynonym, {
    ...useRefresh(),
    onSuccess: () => void notifications.show({ message: t('The synonym is live.'), color: 'green' }),
  });
  const request = { environment: environment.name, synonym: synonymOf(draft) };
  const change = (words: Partial<Draft>) => {
    trial.reset();
    save.reset();
    set(addressOf({ ...draft, ...words }));
  };
  const preview = (event: FormEvent) => {
    event.preventDefault();
    trial.mutate(request);
  };
  /** Runs as a callback of `mutate`, so that it leaves the address of a later page alone. */
  const clear = () => {
    trial.reset();
    set(addressOf(noDraft));
  };
  const send = () =>
    save.mutate(
      { ...request, synonymId: idOf(draft), expectedRevision: draft.revision },
      { onSuccess: clear },
    );
  return (
    <Paper p="md" component="form" onSubmit={preview} aria-label={t('Synonym')}>
      <Fields draft={draft} onChange={change} />
      <Group justify="flex-end" mt="md">
        {!isNew && (
          <Button variant="subtle" color="gray" onClick={() => change(noDraft)}>
            {t('Cancel')}
          </Button>
        )}
        <Button
          type="submit"
          variant={trial.data ? 'default' : 'filled'}
          disabled={!isComplete(draft)}
          loading={trial.isPending}
        >
          {t('Preview')}
        </Button>
        <Button disabled={!trial.data} loading={save.isPending} onClick={send}>
          {t('Save')}
        </Button>
      </Group>
      {trial.error && <ErrorNotice error={trial.error} />}
      {save.error && <ErrorNotice error={save.error} />}
      {trial.data && <Trial outcome={trial.data} />}
    </Paper>
  );
}

function Fields({ draft, onChange }: { draft: Draft; onChange(words: Partial<Draft>): void }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      <WordsField
        label={t('Words or phrases')}
        hint={draft.to.length > 0 ? oneWayHint : bothWaysHint}
        value={draft.words}
        onChange={(words) => onChange({ words })}
        takesFocus={draft.id !== ''}
      />
      <WordsField
        label={t('One-way synonym')}
        hint={t('Optional. “tv” also finds “television”, but not the reverse.')}
        value={draft.to}
        onChange={(to) => onChange({ to })}
      />
    </SimpleGrid>
  );
}

type WordsFieldProps = {
  label: string;
  hint: string;
  value: string[];
  onChange(words: string[]): void;
  /** Scrolls to the form when a synonym further down is edited. */
  takesFocus?: boolean;
};

function WordsField({ label, hint, value, onChange, takesFocus }: WordsFieldProps) {
  return (
    <TagsInput
      label={label}
      description={hint}
      value={value}
      onChange={(words) => onChange(words.map((word) => word.trim().slice(0, longestWord)).filter(Boolean))}
      maxTags={mostWords}
      autoFocus={takesFocus}
      acceptValueOnBlur
      splitChars={[',']}
      size="sm"
    />
  );
}
