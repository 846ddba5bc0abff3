import { useQuery } from '@connectrpc/connect-query';
import { Code, Skeleton, Stack, Text, Title } from '@mantine/core';
import { ConfigurationService } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ErrorNotice } from '../../kit/error-notice.tsx';

/** What a version changed against the one before it. */
export function Changes({ configurationId, version }: { configurationId: string; version: number }) {
  const { data, error, refetch } = useQuery(
    ConfigurationService.method.diffConfigurationVersions,
    { configurationId, fromVersion: version - 1, toVersion: version },
    { enabled: version > 1 },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <Stack gap="sm">
      <Title order={2}>Version {version}</Title>
      {version <= 1 && <Text size="sm">The first version; there is none before it.</Text>}
      {version > 1 && !data && <Skeleton h={80} />}
      {data?.changes.length === 0 && (
        <Text size="sm">Nothing but the time differs from version {version - 1}.</Text>
      )}
      {data?.changes.map(({ pointer, beforeJson, afterJson }) => (
        <div key={pointer}>
          <Text size="xs" component="code" className="quiet">
            {pointer}
          </Text>
          {beforeJson !== undefined && (
            <Code block bg="light-dark(#fdeeee, #3a1f22)" mt={4} aria-label="Before">
              − {pretty(beforeJson)}
            </Code>
          )}
          {afterJson !== undefined && (
            <Code block bg="light-dark(#e9f6ef, #17301f)" mt={4} aria-label="After">
              + {pretty(afterJson)}
            </Code>
          )}
        </div>
      ))}
    </Stack>
  );
}

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);
