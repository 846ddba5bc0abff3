import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import icon from '../icon.svg';
import {
  isSession,
  type NoSession,
  providerAddress,
  type Session,
  type SignIn,
  signIn,
  takeInvitation,
} from '../service/session.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';

type SignInPageProps = NoSession & { reason?: string; onSignedIn(session: Session): void };

export function SignInPage({ issuer, provider, refusal, reason, onSignedIn }: SignInPageProps) {
  const [failure, setFailure] = useState(refusal ?? reason);
  const [isBusy, setBusy] = useState(false);
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const [invitation] = useState(takeInvitation);
  const lead = invitation
    ? t('With at least 12 characters. The link works once.')
    : issuer
      ? t('With an access token from {issuer}.', { issuer })
      : t('You see the pages that your role, or the scopes of the client, allow.');

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    try {
      const session = await signIn(
        issuer ? { access_token: read(fields, 'access_token') } : credentialsOf(fields, invitation),
      );
      if (isSession(session)) return onSignedIn(session);
      setFailure(undefined);
      setCodeNeeded(true);
      setBusy(false);
    } catch (error) {
      setFailure((error as Error).message);
      setBusy(false);
    }
  };

  return (
    <Center mih="100vh" p="md" component="main">
      <Paper w="100%" maw={400} p="xl" shadow="sm">
        <form onSubmit={submit}>
          <Stack gap="md">
            <img src={icon} alt="" width={36} height={36} />
            <div>
              <Title order={1}>{invitation ? t('Set your password') : t('Sign in to the console')}</Title>
              <Text size="sm" className="quiet" mt={4}>
                {lead}
              </Text>
            </div>
            {failure && (
              <Alert color="red" role="alert">
                {failure}
              </Alert>
            )}
            <Fields issuer={issuer} isInvited={invitation !== undefined} />
            {isCodeNeeded && <CodeField />}
            <Button variant="filled" type="submit" loading={isBusy} fullWidth>
              {invitation ? t('Set password and sign in') : t('Sign in')}
            </Button>
            {provider && (
              <Button component="a" href={providerAddress()} fullWidth>
                {t('Sign in with {provider}', { provider })}
              </Button>
            )}
            {!issuer && !invitation && <Advice />}
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}

const CodeField = () => (
  <TextInput
    name="one_time_code"
    label={t('Code')}
    description={t('Of your authenticator app, or a recovery code.')}
    autoComplete="one-time-code"
    maxLength={32}
    required
    autoFocus
  />
);

const Advice = () => (
  <Text size="xs" className="quiet">
    {rich(
      'An administrator invites you on the page Team. The first start of the service writes an administrator client to admin-credentials.json in its data folder. Create more with {code}.',
      { code: <code>personalisation clients create</code> },
    )}
  </Text>
);

const read = (fields: FormData, name: string) => String(fields.get(name) ?? '').trim();

/** Passwords keep their spaces. An ID with an @ is an e-mail address. */
function credentialsOf(fields: FormData, invitation: string | undefined): SignIn {
  const password = String(fields.get('secret') ?? '');
  if (invitation) return { invitation, password };
  const id = read(fields, 'id');
  return id.includes('@')
    ? { email: id, password, one_time_code: read(fields, 'one_time_code') }
    : { client_id: id, client_secret: read(fields, 'secret') };
}

/** An ID with a secret, the new password of an invited person, or the token of another issuer. */
function Fields({ issuer, isInvited }: { issuer?: string; isInvited: boolean }) {
  if (issuer)
    return <PasswordInput name="access_token" label={t('Access token')} required data-autofocus autoFocus />;
  if (isInvited)
    return (
      <PasswordInput
        name="secret"
        label={t('New password')}
        autoComplete="new-password"
        required
        minLength={12}
        autoFocus
      />
    );
  return (
    <>
      <TextInput
        name="id"
        label={t('E-mail address or client ID')}
        autoComplete="username"
        required
        autoFocus
      />
      <PasswordInput
        name="secret"
        label={t('Password or client secret')}
        autoComplete="current-password"
        required
      />
    </>
  );
}
