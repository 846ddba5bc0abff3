import { useMutation } from '@connectrpc/connect-query';
import { Button, Group, Paper, SimpleGrid, TagsInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { FormEvent } from 'react';
import { SynonymService } from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { useRefresh } from '../../kit/refresh.ts';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { addressOf, type Draft, type DraftKey, draftOf, idOf, isWhole, noDraft, synonymOf } from './draft.ts';
import { text } from './text.ts';
import { Trial } from './trial.tsx';

const mostWords = 20;
const longestWord = 100;

/** A synonym that is thought of: what it would change is seen before it is kept. */
export function Proposal() {
  const { environment } = useConsole();
  const refresh = useRefresh();
  const { values, set } = useAddress<DraftKey>();
  const draft = draftOf(values);
  const trial = useMutation(SynonymService.method.trySynonym);
  const keep = useMutation(SynonymService.method.putSynonym, {
    ...refresh,
    onSuccess: () => void notifications.show({ message: text.kept, color: 'green' }),
  });
  const of = { environment: environment.name, synonym: synonymOf(draft) };
  const change = (words: Partial<Draft>) => {
    trial.reset();
    keep.reset();
    set(addressOf({ ...draft, ...words }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    trial.mutate(of);
  };
  /** The address is that of another page for who has gone on to one. */
  const forget = () => {
    trial.reset();
    set(addressOf(noDraft));
  };
  const send = () =>
    keep.mutate({ ...of, synonymId: idOf(draft), expectedRevision: draft.revision }, { onSuccess: forget });
  return (
    <Paper p="md" component="form" onSubmit={submit} aria-label={text.propose}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <WordsField
          label={text.words}
          hint={draft.to.length > 0 ? text.fromHint : text.wordsHint}
          value={draft.words}
          onChange={(words) => change({ words })}
          takesFocus={draft.id !== ''}
        />
        <WordsField label={text.to} hint={text.toHint} value={draft.to} onChange={(to) => change({ to })} />
      </SimpleGrid>
      <Group justify="flex-end" mt="md">
        {draft.id !== '' && (
          <Button variant="subtle" color="gray" onClick={() => change(noDraft)}>
            Cancel
          </Button>
        )}
        <Button
          type="submit"
          variant={trial.data ? 'default' : 'filled'}
          disabled={!isWhole(draft)}
          loading={trial.isPending}
        >
          {text.tryIt}
        </Button>
        <Button disabled={!trial.data} loading={keep.isPending} onClick={send}>
          {draft.id === '' ? text.keep : text.replace}
        </Button>
      </Group>
      {(trial.error ?? keep.error) && <ErrorNotice error={(trial.error ?? keep.error)!} />}
      {trial.data && <Trial outcome={trial.data} />}
    </Paper>
  );
}

type WordsFieldProps = {
  label: string;
  hint: string;
  value: string[];
  onChange(words: string[]): void;
  /** One that is changed may stand far below the form. */
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
