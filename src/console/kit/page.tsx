/** Frames of pages and sections, and their states: loading, empty, failed. */

import { Code, ConnectError } from '@connectrpc/connect';
import {
  Alert,
  Anchor,
  Box,
  Button,
  Group,
  Paper,
  type PaperProps,
  Skeleton,
  type SkeletonProps,
  Stack,
  Text,
  type TextProps,
  Title,
} from '@mantine/core';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Context, useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { type Icon, RotateCw, TriangleAlert } from './icons.ts';
import { isNotFound, violationsOf } from './queries.ts';

/** Pixels; fills windows of 1920, and keeps lines readable in wider ones. */
const pageWidth = 1_696;

type PageFrameProps = {
  title: ReactNode;
  lead?: ReactNode;
  /** Buttons at the end of the heading's line. */
  actions?: ReactNode;
  /** Takes the whole width of the window. */
  isWide?: boolean;
  children: ReactNode;
};

export function PageFrame({ title, lead, actions, isWide, children }: PageFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const place = useContext(Context)?.environment.name ?? t('Console');
  /** Badges beside a name are not part of it. */
  useEffect(() => {
    const { current } = heading;
    document.title = `${(current?.querySelector('bdi') ?? current)?.textContent} · ${place}`;
  });
  return (
    <Box px={{ base: 'md', sm: 'xl' }} py="lg" maw={isWide ? undefined : pageWidth} mx="auto">
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <Box miw={0} flex="1 1 280px">
          <Title order={1} ref={heading}>
            {title}
          </Title>
          {lead && (
            <Hint size="sm" mt={2}>
              {lead}
            </Hint>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Box>
  );
}

/** Placeholder of a page; keeps the layout stable while it loads. */
export function PageSkeleton() {
  const padding = { px: { base: 'md', sm: 'xl' }, py: 'lg' };
  return (
    <Box {...padding} maw={pageWidth} mx="auto" role="status" aria-busy="true" aria-label={t('Loading')}>
      <Stack gap="lg">
        <Skeleton h={26} w={180} />
        <Skeleton h={110} />
        <Skeleton h={260} />
      </Stack>
    </Box>
  );
}

/** Placeholder of a part of a page. */
export const Loading = (props: SkeletonProps) => (
  <Skeleton role="status" aria-label={t('Loading')} {...props} />
);

/** Secondary text. */
export const Hint = ({ className = '', ...props }: TextProps & { children?: ReactNode; title?: string }) => (
  <Text size="xs" component="div" {...props} className={`quiet ${className}`} />
);

type SectionProps = PaperProps & {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** Framed part of a page with a heading. */
export function Section({ title, lead, actions, children, ...rest }: SectionProps) {
  return (
    <Paper p="md" miw={0} component="section" aria-label={title} {...rest}>
      <Heading title={title} lead={lead} actions={actions} />
      {children}
    </Paper>
  );
}

export function Heading({ title, lead, actions }: Pick<SectionProps, 'title' | 'lead' | 'actions'>) {
  return (
    <Group justify="space-between" align="flex-end" mb={lead ? 'sm' : 'xs'}>
      <Box miw={0} flex="1 1 230px">
        <Title order={2}>{title}</Title>
        {lead && <Hint>{lead}</Hint>}
      </Box>
      {actions}
    </Group>
  );
}

type EmptyProps = { icon: Icon; title: string; children?: ReactNode };

/** Tells why a view is empty, and the next step. */
export function Empty({ icon: Icon, title, children }: EmptyProps) {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      <Icon size={28} strokeWidth={1.5} className="quiet" />
      <Text fw={600}>{title}</Text>
      {children && (
        <Hint size="sm" maw={440}>
          {children}
        </Hint>
      )}
    </Stack>
  );
}

export function PageLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} href={useConsole().pathTo(to)} size="sm" underline="always">
      {children}
    </Anchor>
  );
}

type RowLinkProps = {
  to: string;
  /** Scope of that page; the name is plain text for clients without it [everyone may open it]. */
  area?: string;
  children: ReactNode;
};

/** Name in a row, which a click in the row opens. */
export function RowLink({ to, area, children }: RowLinkProps) {
  const { can, pathTo } = useConsole();
  const name = <bdi>{children}</bdi>;
  if (area && !can(area)) return name;
  return (
    <Link href={pathTo(to)} className="row-link">
      {name}
    </Link>
  );
}

/** Name of a rule set; a link for clients that may open its page. */
export function RuleSetLink({ id }: { id: string }) {
  const name = <bdi>{id}</bdi>;
  if (!useConsole().can('configurations')) return name;
  return <PageLink to={`configurations/${encodeURIComponent(id)}`}>{name}</PageLink>;
}

type UnreadProps = {
  error: Error | null;
  onRetry(): unknown;
  /** Heading of a page that does not exist [Page not found]. */
  missing?: string;
  /** Why it may not exist [the message of the error]. */
  children?: ReactNode;
};

/** Page without its data: they are loading, cannot be read, or do not exist. */
export function Unread({ error, onRetry, missing = t('Page not found'), children }: UnreadProps) {
  if (!error) return <PageSkeleton />;
  if (!isNotFound(error)) return <ErrorNotice error={error} onRetry={onRetry} />;
  return <PageFrame title={missing}>{children ?? ConnectError.from(error).rawMessage}</PageFrame>;
}

const advice: Partial<Record<Code, string>> = {
  [Code.PermissionDenied]: t('The signed-in client lacks a scope. Sign in with a client that has it.'),
  [Code.Unavailable]: t('The service cannot be reached, or is starting. Try again in a moment.'),
  [Code.ResourceExhausted]: t('The service is busy. Try again in a moment.'),
};

/** A failure with advice. */
export function ErrorNotice({ error, onRetry }: { error: Error; onRetry?(): unknown }) {
  const { code, rawMessage } = ConnectError.from(error);
  const violations = violationsOf(error);
  const frame = { my: 'md', mx: 'auto', w: 'calc(100% - 2 * var(--mantine-spacing-md))', maw: 1_176 };
  return (
    <Alert {...frame} color="red" role="alert" icon={<TriangleAlert size={18} />} title={rawMessage}>
      {violations.length > 1 && (
        <ul>
          {violations.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      <Group justify="space-between">
        <Text size="sm">{advice[code] ?? ''}</Text>
        {onRetry && (
          <Button size="xs" leftSection={<RotateCw size={14} />} onClick={() => onRetry()}>
            {t('Try again')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
