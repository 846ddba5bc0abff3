/** The account of the signed-in person: password and second factor. */

import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Alert, Divider, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { renderSVG } from 'uqr';
import {
  AccountService,
  type ConfirmSecondFactorResponse,
} from '../../../gen/es/personalisation/v1/account_service_pb.js';
import { Form } from '../kit/dialog.tsx';
import { ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { Snippet } from '../kit/snippet.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const { method } = AccountService;

export function AccountDialog({ onClose }: { onClose(): void }) {
  const { data: account, error, refetch } = useQuery(method.getAccount);
  const [codes, setCodes] = useState<string[]>();
  return (
    <Modal opened onClose={onClose} title={t('Your account')} closeOnClickOutside={codes === undefined}>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!account && !error && <Loading h={240} />}
      {account && (
        <Stack gap="sm">
          <Hint>{account.email}</Hint>
          {!account.hasPassword && (
            <Text size="sm">{t('You have no password. You sign in with OpenID Connect.')}</Text>
          )}
          {account.hasPassword && (
            <>
              <PasswordForm />
              <Divider label={t('Second factor')} />
              {codes && <RecoveryCodes codes={codes} />}
              {account.secondFactor ? (
                <Removal codeCount={account.recoveryCodeCount} />
              ) : (
                <Setup onCodes={setCodes} />
              )}
            </>
          )}
        </Stack>
      )}
    </Modal>
  );
}

/** Options of changes after which this session continues with a new token, and others end. */
function useRenewal(done: string) {
  const { renewSession } = useConsole();
  return {
    async onSuccess({ accessToken }: { accessToken: string }) {
      await renewSession(accessToken);
      notifications.show({ message: `${done} ${t('Your other sessions end within 10 seconds.')}` });
    },
  };
}

const PresentPassword = () => (
  <PasswordInput
    name="password"
    label={t('Password')}
    autoComplete="current-password"
    maxLength={256}
    required
  />
);

function CodeField({ description }: { description: string }) {
  const rest = { name: 'code', autoComplete: 'one-time-code', maxLength: 32, required: true };
  return <TextInput label={t('Code')} description={description} {...rest} />;
}

function PasswordForm() {
  const change = useMutation(method.changePassword, useRenewal(t('Password changed.')));
  return (
    <Form
      variant="default"
      submit={t('Change password')}
      {...change}
      onSubmit={(read) => change.mutate({ password: read('password'), newPassword: read('new') })}
    >
      <PresentPassword />
      <PasswordInput
        name="new"
        label={t('New password')}
        description={t('12 to 256 characters.')}
        autoComplete="new-password"
        minLength={12}
        maxLength={256}
        required
      />
    </Form>
  );
}

/** Shows a key, and asks for a code of it. */
function Setup({ onCodes }: { onCodes(codes: string[]): void }) {
  const create = useMutation(method.createSecondFactor);
  const renewal = useRenewal(t('Second factor set up.'));
  const confirm = useMutation(method.confirmSecondFactor, {
    onSuccess(answer: ConfirmSecondFactorResponse) {
      onCodes(answer.recoveryCodes);
      return renewal.onSuccess(answer);
    },
  });
  if (!create.data)
    return (
      <Form
        variant="default"
        submit={t('Set up a second factor')}
        {...create}
        onSubmit={() => create.mutate({})}
      >
        <Text size="sm">{t('Signing in then needs a code of an authenticator app on your phone, too.')}</Text>
      </Form>
    );
  const { setupKey, setupUri } = create.data;
  return (
    <Form
      variant="default"
      submit={t('Confirm')}
      {...confirm}
      onSubmit={(read) => confirm.mutate({ password: read('password'), setupKey, code: read('code') })}
    >
      <Text size="sm">{t('Scan the picture with the authenticator app, or type the key into it.')}</Text>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(renderSVG(setupUri, { border: 4 }))}`}
        alt={t('QR code of the key')}
        width={180}
        height={180}
      />
      <Snippet label={t('key')} code={setupKey} />
      <PresentPassword />
      <CodeField description={t('The six digits that the app shows.')} />
    </Form>
  );
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <Alert color="orange" title={t('Keep these recovery codes; they are shown once')}>
      {t('Each of them replaces one code of the app, for example when you lose your phone.')}
      <Snippet label={t('recovery codes')} code={codes.join('\n')} />
    </Alert>
  );
}

function Removal({ codeCount }: { codeCount: number }) {
  const remove = useMutation(method.removeSecondFactor, useRenewal(t('Second factor removed.')));
  return (
    <Form
      variant="default"
      submit={t('Remove the second factor')}
      {...remove}
      onSubmit={(read) => remove.mutate({ password: read('password'), code: read('code') })}
    >
      <Text size="sm">
        {t('Your password needs a code. {codeCount} recovery codes are left.', { codeCount })}
      </Text>
      <PresentPassword />
      <CodeField description={t('Of the app, or a recovery code.')} />
    </Form>
  );
}
