import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useConsole } from '../service/console-context.ts';

/** A configuration by its id; a link for whom its page is open. */
export function ConfigurationLink({ id }: { id: string }) {
  const { can, pathTo } = useConsole();
  const name = <bdi>{id}</bdi>;
  if (!can('configurations', 'everywhere')) return name;
  return (
    <Anchor
      component={Link}
      href={pathTo(`configurations/${encodeURIComponent(id)}`)}
      size="sm"
      underline="always"
    >
      {name}
    </Anchor>
  );
}
