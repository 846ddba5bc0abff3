import { useQuery } from '@connectrpc/connect-query';
import { Group, Pill, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const mostShown = 6;

type CompletionsProps = {
  q: string;
  visitor: { deviceId: string; userId?: string };
  onPick(title: string): void;
};

/** What a search field would offer for what is typed so far. */
export function Completions({ q, visitor, onPick }: CompletionsProps) {
  const { environment } = useConsole();
  const { data } = useQuery(
    PreviewService.method.previewCompletions,
    { environment: environment.name, request: { q, ...visitor } },
    { placeholderData: keepPreviousData },
  );
  const completions = data?.completion?.completions.slice(0, mostShown) ?? [];
  return (
    <Group gap={6} mt="xs" mih={26} role="group" aria-label={text.completions}>
      <Text size="xs" className="quiet">
        {text.completions}:
      </Text>
      {completions.length === 0 && (
        <Text size="xs" className="quiet">
          none
        </Text>
      )}
      {completions.map(({ itemId, itemType, title }) => (
        <UnstyledButton key={`${itemType}/${itemId}`} onClick={() => onPick(title)} maw="100%">
          <Pill size="sm" maw={260}>
            <bdi>{title}</bdi>
          </Pill>
        </UnstyledButton>
      ))}
    </Group>
  );
}
