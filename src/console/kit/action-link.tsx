import { Button } from '@mantine/core';
import { Link } from 'wouter';

type ActionLinkProps = { to: string; label: string; children: string };

/** Small button in a row of a table that opens another page. @param label Names the row, too. */
export const ActionLink = ({ to, label, children }: ActionLinkProps) => (
  <Button component={Link} href={to} variant="default" size="compact-xs" aria-label={label}>
    {children}
  </Button>
);
