import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import icon from '../icon.svg';
import { type Session, signIn } from '../service/session.ts';

type SignInPageProps = { issuer?: string; reason?: string; onSignedIn(session: Session): void };

export function SignInPage({ issuer, reason, onSignedIn }: SignInPageProps) {
  const [failure, setFailure] = useState(reason);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const read = (name: string) => String(fields.get(name) ?? '').trim();
    setBusy(true);
    try {
      onSignedIn(
        await signIn(
          issuer
            ? { access_token: read('access_token') }
            : { client_id: read('client_id'), client_secret: read('client_secret') },
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
              <Title order={1}>Sign in to the console</Title>
              <Text size="sm" className="quiet" mt={4}>
                {issuer
                  ? `With an access token from ${issuer}.`
                  : 'With the ID and secret of a client. You see the pages that its scopes allow.'}
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
                <TextInput name="client_id" label="Client ID" autoComplete="username" required autoFocus />
                <PasswordInput
                  name="client_secret"
                  label="Client secret"
                  autoComplete="current-password"
                  required
                />
              </>
            )}
            <Button type="submit" loading={isBusy} fullWidth>
              Sign in
            </Button>
            {!issuer && (
              <Text size="xs" className="quiet">
                The first start of the service writes an administrator client to admin-credentials.json in its
                data folder. Create more with <code>personalisation clients create</code>.
              </Text>
            )}
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
