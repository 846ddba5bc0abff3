import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import icon from '../icon.svg';
import { type Session, signIn, takeInvitation } from '../service/session.ts';

type SignInPageProps = { issuer?: string; reason?: string; onSignedIn(session: Session): void };

export function SignInPage({ issuer, reason, onSignedIn }: SignInPageProps) {
  const [failure, setFailure] = useState(reason);
  const [isBusy, setBusy] = useState(false);
  const [invitation] = useState(takeInvitation);
  const lead = invitation
    ? 'With at least 12 characters. The link works once.'
    : issuer
      ? `With an access token from ${issuer}.`
      : 'You see the pages that your role, or the scopes of the client, allow.';

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const read = (name: string) => secret(name).trim();
    const secret = (name = 'secret') => String(fields.get(name) ?? '');
    setBusy(true);
    try {
      onSignedIn(
        await signIn(
          issuer
            ? { access_token: read('access_token') }
            : invitation
              ? { invitation, password: secret() }
              : read('id').includes('@')
                ? { email: read('id'), password: secret() }
                : { client_id: read('id'), client_secret: read('secret') },
        ),
      );
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
              <Title order={1}>{invitation ? 'Set your password' : 'Sign in to the console'}</Title>
              <Text size="sm" className="quiet" mt={4}>
                {lead}
              </Text>
            </div>
            {failure && (
              <Alert color="red" role="alert">
                {failure}
              </Alert>
            )}
            {issuer ? (
              <PasswordInput name="access_token" label="Access token" required data-autofocus autoFocus />
            ) : (
              <>
                {!invitation && (
                  <TextInput
                    name="id"
                    label="E-mail address or client ID"
                    autoComplete="username"
                    required
                    autoFocus
                  />
                )}
                <PasswordInput
                  name="secret"
                  label={invitation ? 'New password' : 'Password or client secret'}
                  autoComplete={invitation ? 'new-password' : 'current-password'}
                  required
                  minLength={invitation ? 12 : undefined}
                />
              </>
            )}
            <Button type="submit" loading={isBusy} fullWidth>
              {invitation ? 'Set password and sign in' : 'Sign in'}
            </Button>
            {!issuer && !invitation && (
              <Text size="xs" className="quiet">
                An administrator invites you on the page Team. The first start of the service writes an
                administrator client to admin-credentials.json in its data folder. Create more with{' '}
                <code>personalisation clients create</code>.
              </Text>
            )}
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
