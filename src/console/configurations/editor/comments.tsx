import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ConfigurationService } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { RemoveButton } from '../../kit/fields.tsx';
import { momentOf } from '../../kit/format.ts';
import { ErrorNotice, Hint, Section } from '../../kit/page.tsx';
import { useRefresh } from '../../kit/queries.ts';
import { Ago } from '../../kit/table.tsx';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';

const { method } = ConfigurationService;

/** Comments on a saved draft, and a field for another one. */
export function DraftComments({ configurationId }: { configurationId: string }) {
  const { clientId: own } = useConsole().session;
  const [text, setText] = useState('');
  const { data } = useQuery(method.listDraftComments, { configurationId }, { staleTime: 0 });
  const add = useMutation(method.createDraftComment, useRefresh());
  const remove = useMutation(method.deleteDraftComment, useRefresh());
  const error = add.error ?? remove.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ configurationId, text: text.trim() }, { onSuccess: () => setText('') });
  };
  return (
    <Section title={t('Comments')} lead={t('Erased with the draft.')} mt="md">
      <Stack gap="xs">
        {data?.comments.map(({ commentId, clientId, clientName, text: said, createTime }) => (
          <Group key={commentId} justify="space-between" align="flex-start" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Hint>
                <bdi>{clientName || clientId}</bdi>, <Ago time={momentOf(createTime)} />
              </Hint>
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {said}
              </Text>
            </div>
            {clientId === own && (
              <RemoveButton
                name={t('your comment')}
                onClick={() => remove.mutate({ configurationId, commentId })}
              />
            )}
          </Group>
        ))}
        {error && <ErrorNotice error={error} />}
        <form onSubmit={submit}>
          <Group align="flex-end" gap="xs">
            <Textarea
              label={t('Comment')}
              autosize
              maxLength={2_000}
              style={{ flex: '1 1 240px' }}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={add.isPending} disabled={text.trim() === ''}>
              {t('Comment')}
            </Button>
          </Group>
        </form>
      </Stack>
    </Section>
  );
}
