import { createClient } from '@connectrpc/connect';
import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfigurationService } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ErrorNotice, Hint } from '../../kit/page.tsx';
import { Snippet } from '../../kit/snippet.tsx';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import type { Draft } from './use-draft.ts';

type SitePreviewProps = { configurationId: string; draft: Draft };

/** Button and dialog that make a link to a page of the site with the saved draft. */
export function SitePreview({ configurationId, draft }: SitePreviewProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const isSaved = draft.isChanged && draft.sharing.state === 'saved';
  return (
    <>
      <Button
        variant="default"
        size="xs"
        mt="md"
        disabled={!isSaved}
        title={isSaved ? undefined : t('There is no saved draft to preview.')}
        onClick={dialog.open}
      >
        {t('Preview on your site')}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={t('Preview on your site')}>
        <LinkForm configurationId={configurationId} />
      </Modal>
    </>
  );
}

function LinkForm({ configurationId }: { configurationId: string }) {
  const { connection, environment } = useConsole();
  const [address, setAddress] = useState('');
  const page = pageOf(address);
  const making = useMutation({
    async mutationFn(page: URL) {
      const request = { configurationId, environment: environment.name };
      const service = createClient(ConfigurationService, connection.transport);
      const { token } = await service.createPreviewToken(request);
      page.hash += `${page.hash ? '&' : '#'}personalisation_preview=${token}`;
      return page.href;
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (page) making.mutate(page);
      }}
    >
      <Hint size="sm" mb="sm">
        {t(
          'The link shows the draft, as it is then, to everyone who has it, for 24 hours. The page needs the browser client. Nothing that happens in a preview is counted.',
        )}
      </Hint>
      <TextInput
        label={t('Address of the page')}
        placeholder="https://shop.example/"
        data-autofocus
        value={address}
        error={address && !page ? t('Enter an address that begins with https:// or http://.') : undefined}
        onChange={(event) => {
          setAddress(event.currentTarget.value);
          making.reset();
        }}
      />
      {making.error && <ErrorNotice error={making.error} />}
      <Group justify="flex-end" my="md">
        <Button type="submit" disabled={!page} loading={making.isPending}>
          {t('Create link')}
        </Button>
      </Group>
      {making.data && <Snippet code={making.data} label={t('link')} />}
    </form>
  );
}

function pageOf(address: string): URL | undefined {
  const page = URL.parse(address);
  return page && /^https?:$/.test(page.protocol) ? page : undefined;
}
