import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useConsole } from '../service/console-context.ts';
import { text } from './editor/text.ts';

type NewConfigurationProps = { isOpen: boolean; known: string[]; onClose(): void };

/** Asks for the id only; nothing is stored before it is published. */
export function NewConfiguration({ isOpen, known, onClose }: NewConfigurationProps) {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const [id, setId] = useState('');
  const wanted = id.trim();
  const isKnown = known.includes(wanted);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted && !isKnown) navigate(pathTo(`configurations/${encodeURIComponent(wanted)}`));
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>{text.create}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <TextInput
          label="Id"
          description={text.idRule}
          placeholder="e.g. home"
          maxLength={256}
          data-autofocus
          value={id}
          error={isKnown ? 'There is one of this id.' : undefined}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!wanted || isKnown}>
            Edit it
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
